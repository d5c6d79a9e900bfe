package dev.laneway.engine.track;

import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.engine.Handled;
import dev.laneway.engine.Records;
import dev.laneway.engine.Scene;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.interleave.Interleavings;
import dev.laneway.interleave.Steps;
import java.time.Duration;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the owner does to a track while workers are at it: close, drop, pause, end attempts. */
@Execution(ExecutionMode.CONCURRENT) // Its threads are its own.
class TrackLanesInterleavingTest {
    private static final int RUNS = 2_000;
    private static final String KEYS = "abcaab";

    /** Something happens to the track at a random moment. */
    public abstract static class Interrupted extends Scene {
        Interrupted(Options options, HandlerSpec handling, Handled handled) {
            super(options, handling, handled);
        }

        void someTurns() {
            for (int turns = Steps.choose(4); turns > 0; turns--) {
                Steps.yieldToOthers();
                turn();
            }
        }

        /** No more have begun than were on their way. */
        void expectBegun(int before, int inFlight) {
            if (handled.begun(0) > before + inFlight) {
                throw new AssertionError((handled.begun(0) - before) + " began with " + inFlight + " in flight");
            }
        }
    }

    public static final class Closing extends Interrupted {
        public Closing() {
            this(new Handled(Ordering.KEY));
        }

        private Closing(Handled handled) {
            super(options(Ordering.KEY, 3), mixed(handled), handled);
        }

        @Override
        public void run() {
            append(Records.chunk(0, KEYS));
            someTurns();
            track.close();
            int inFlight = track.busy();
            int begun = handled.begun(0);
            untilIdle(track);
            Steps.awaitOthers();
            turn();
            expectBegun(begun, inFlight);
            // Nothing is in flight any more, so the commit says exactly what was done.
            expect(
                    "committed",
                    handled.offsets(0).size(),
                    committed(track.progress(LIMIT)).size());
            expect("dropped", 0, track.drop());
            expectAtRest();
        }
    }

    /** Dropped while another track goes on: what is in flight is late, and nobody else meets its interrupts. */
    public static final class Dropping extends Interrupted {
        public Dropping() {
            this(new Handled(Ordering.KEY));
        }

        private Dropping(Handled handled) {
            super(options(Ordering.KEY, 3), mixed(handled), handled);
        }

        @Override
        public void run() {
            Track kept = machine.track(new TopicPartition("orders", 1), 0, null);
            kept.append(Records.chunk(kept.partition, 0, "ab"), 2);
            append(Records.chunk(0, KEYS));
            someTurns();
            int inFlight = track.drop();
            int begun = handled.begun(0);
            turn();
            kept.append(Records.chunk(kept.partition, 2, "bab"), 5);
            machine.scheduler.workArrived();
            untilIdle(track);
            while (kept.progress(LIMIT).offset() < 5) {
                turn();
                kept.signalBelow(0);
                if (kept.progress(LIMIT).offset() < 5) {
                    machine.wake.park(Long.MAX_VALUE);
                    Steps.yieldToOthers();
                }
            }
            Steps.awaitOthers();
            turn();
            expectBegun(begun, inFlight);
            expect("held records", 0, track.ledger.records() + kept.ledger.records());
            expect("busy", 0, track.busy() + kept.busy());
            expect("handled of the other", 5, handled.offsets(1).size());
            expect("permits", 0, machine.scheduler.running());
        }
    }

    /** Paused and resumed while it is at work: in between nothing more starts, afterwards nothing is forgotten. */
    public static final class Pausing extends Interrupted {
        public Pausing() {
            this(new Handled(Ordering.KEY));
        }

        private Pausing(Handled handled) {
            super(options(Ordering.KEY, 3), mixed(handled), handled);
        }

        @Override
        public void run() {
            append(Records.chunk(0, KEYS));
            for (int i = 0; i < 2; i++) {
                someTurns();
                track.pause();
                int inFlight = track.busy();
                int begun = handled.begun(0);
                someTurns();
                expectBegun(begun, inFlight);
                track.resume();
                machine.scheduler.workArrived();
            }
            untilDone();
            checkEnd(KEYS.length());
        }
    }

    /** Attempts are ended by the clock at random moments, some of them just when they end by themselves. */
    public static final class Expiring extends Interrupted {
        private static final Duration LIMIT = Duration.ofNanos(20_000);

        private final TrackDiagnostics inspection = new TrackDiagnostics(track, host);

        public Expiring() {
            this(new Handled(Ordering.KEY));
        }

        private Expiring(Handled handled) {
            super(
                    Options.DEFAULTS
                            .withOrdering(Ordering.KEY)
                            .withConcurrency(3)
                            .withAttemptLimit(LIMIT),
                    forgetful(handled),
                    handled);
        }

        /** It cannot tell whether its attempt counts, so being done is the engine's to say. */
        private static HandlerSpec forgetful(Handled handled) {
            return new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {
                handled.begins(record);
                Steps.point();
                handled.ends(record, false);
            });
        }

        @Override
        public void run() {
            Track other = machine.track(new TopicPartition("orders", 1), 0, null);
            other.append(Records.chunk(other.partition, 0, "abcabc"), 6);
            append(Records.chunk(0, "aab"));
            while (track.ledger.records() + other.ledger.records() > 0 || track.busy() + other.busy() > 0) {
                for (Event event = machine.inbox.poll(); event != null; event = machine.inbox.poll()) {
                    switch (event) {
                        case Event.Retry(Lane lane, long delayNanos) -> lane.track.lanes.wake(lane);
                        default -> throw new AssertionError("unexpected: " + event);
                    }
                }
                if (machine.counts.failedAttempts.sum() < 4) {
                    inspection.expire(host.nanoTime(), LIMIT);
                    machine.scheduler.workArrived();
                }
                handled.check();
                Steps.yieldToOthers();
            }
            Steps.awaitOthers();
            expect("committable", 3, track.progress(Scene.LIMIT).offset());
            expect("processed", 3 + 6, machine.counts.processed.sum());
            expect("retries", machine.counts.failedAttempts.sum(), machine.counts.retries.sum());
            expectAtRest();
        }
    }

    @Test
    @DisplayName("B53 close: nothing more starts, what is in flight counts, the owner is woken when it has ended")
    void closing() {
        Interleavings.explore(Closing.class, RUNS);
    }

    @Test
    @DisplayName("B35 drop: what is in flight is late, nobody else is interrupted, the owner is woken at its end")
    void dropping() {
        Interleavings.explore(Dropping.class, RUNS);
    }

    @Test
    @DisplayName("B59 pause: nothing more starts; resume: nothing is forgotten")
    void pausing() {
        Interleavings.explore(Pausing.class, RUNS);
    }

    @Test
    @DisplayName("B47 an attempt over its limit fails once, however close its own end is, and no other is interrupted")
    void expiring() {
        Interleavings.explore(Expiring.class, RUNS);
    }
}
