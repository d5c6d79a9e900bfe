package dev.laneway.engine;

import dev.laneway.engine.runtime.SteppedHost;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Inbox;
import dev.laneway.interleave.Interleavings;
import dev.laneway.interleave.Steps;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The owner sleeps in a poll or a park without a limit: a signal that is lost is a deadlock. */
class SignalInterleavingTest {
    private static final int RUNS = 10_000;
    private static final int SENDERS = 2;
    private static final int EACH = 2;

    /** A poll that lasts until it is woken up, as that of an idle topic; a wake-up that comes too early is kept. */
    static final class IdleConsumer extends MockConsumer<byte[], byte[]> {
        private volatile boolean woken;

        IdleConsumer() {
            super(AutoOffsetResetStrategy.EARLIEST.name());
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // A run's threads must not wait for a real monitor.
        public void wakeup() {
            woken = true;
        }

        void waits() {
            Steps.await(() -> woken);
            checkWoken();
        }

        /** What any blocking call does first. */
        void checkWoken() {
            if (woken) {
                woken = false;
                throw new WakeupException();
            }
        }
    }

    /** Senders add events; the owner takes turns as the engine does, until it has seen all of them. */
    public abstract static class Sending implements Runnable {
        final SteppedHost host = new SteppedHost();
        final IdleConsumer consumer = new IdleConsumer();
        final WakeSignal wake = new WakeSignal(host, consumer::wakeup);
        final Inbox inbox = new Inbox(wake);
        final AtomicInteger sent = new AtomicInteger();
        int seen;

        @Override
        public void run() {
            for (int i = 0; i < SENDERS; i++) {
                Steps.spawn(() -> {
                    for (int j = 0; j < EACH; j++) {
                        inbox.add(new Event.PauseAll());
                        sent.incrementAndGet();
                    }
                });
            }
            while (seen < SENDERS * EACH) {
                turn();
            }
            Steps.awaitOthers();
            Scene.expect("left over", 0, inbox.poll() == null ? 0 : 1);
        }

        abstract void turn();

        void drain() {
            while (inbox.poll() != null) {
                seen++;
            }
        }
    }

    public static final class Polling extends Sending {
        @Override
        void turn() {
            wake.awake();
            drain();
            if (seen < SENDERS * EACH && wake.beforePoll()) {
                try {
                    consumer.waits();
                } catch (WakeupException signalled) {
                    // The next turn sees why.
                }
                wake.afterPoll();
            }
        }
    }

    public static final class Parking extends Sending {
        @Override
        void turn() {
            drain();
            if (seen < SENDERS * EACH) {
                wake.park(Long.MAX_VALUE);
            }
        }
    }

    /** A poll that does not wait, then a short park in the same turn: what a signal did to the one ends the other. */
    public static final class PollingThenParking extends Sending {
        @Override
        void turn() {
            wake.awake();
            drain();
            if (seen < SENDERS * EACH && wake.beforePoll()) {
                try {
                    consumer.checkWoken();
                } catch (WakeupException signalled) {
                    // The next turn sees why.
                }
                wake.afterPoll();
                wake.park(Long.MAX_VALUE);
            }
        }
    }

    /** Turn by turn a poll or a wait, as in a rebalance. */
    public static final class PollingOrParking extends Sending {
        private boolean polls;

        @Override
        void turn() {
            polls = !polls;
            wake.awake();
            drain();
            if (seen < SENDERS * EACH && polls && wake.beforePoll()) {
                try {
                    consumer.waits();
                } catch (WakeupException signalled) {
                    // The next turn sees why.
                }
                wake.afterPoll();
            } else if (seen < SENDERS * EACH) {
                wake.park(Long.MAX_VALUE);
            }
        }
    }

    @Test
    @DisplayName("B30 no signal to an owner that polls is lost")
    void polling() {
        Interleavings.explore(Polling.class, RUNS);
    }

    @Test
    @DisplayName("B30 no signal to an owner that is parked is lost")
    void parking() {
        Interleavings.explore(Parking.class, RUNS);
    }

    @Test
    @DisplayName("B30 no signal is lost between a poll and a wait")
    void both() {
        Interleavings.explore(PollingThenParking.class, RUNS);
        Interleavings.explore(PollingOrParking.class, RUNS);
    }
}
