package dev.laneway.interleave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The tool finds what it is for, says how to see it again, and finds nothing where there is nothing. */
class InterleavingsTest {
    private static final int RUNS = 2_000;

    /** Two threads each add one to a field. */
    public abstract static class Counting implements Runnable {
        volatile int count;

        abstract void add();

        @Override
        public void run() {
            Steps.spawn(this::add);
            Steps.spawn(this::add);
            Steps.awaitOthers();
            assertThat(count).isEqualTo(2);
        }
    }

    public static final class Unguarded extends Counting {
        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // That is what is to be found.
        void add() {
            count++;
        }
    }

    public static final class Synchronised extends Counting {
        @Override
        synchronized void add() {
            count++;
        }
    }

    public static final class Guarded extends Counting {
        @Override
        void add() {
            synchronized (this) {
                count++;
            }
        }
    }

    /** Each takes two monitors, in another order. */
    public static final class Embrace implements Runnable {
        private final Object left = new Object();
        private final Object right = new Object();

        @Override
        public void run() {
            Steps.spawn(() -> both(left, right));
            Steps.spawn(() -> both(right, left));
        }

        private static void both(Object first, Object second) {
            synchronized (first) {
                synchronized (second) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    /** A monitor is given back when an exception passes, and may be taken again by its owner. */
    public static final class Thrower implements Runnable {
        private final AtomicInteger caught = new AtomicInteger();

        @Override
        public void run() {
            Steps.spawn(this::attempt);
            Steps.spawn(this::attempt);
            Steps.awaitOthers();
            assertThat(caught.get()).isEqualTo(2);
        }

        private void attempt() {
            try {
                fail();
            } catch (IllegalStateException expected) {
                caught.incrementAndGet();
            }
        }

        private synchronized void fail() {
            synchronized (this) {
                throw new IllegalStateException("expected");
            }
        }
    }

    /** Wants five events in one order: needs depth. */
    public static final class Deep implements Runnable {
        volatile int reached;

        @Override
        public void run() {
            Steps.spawn(() -> {
                move(0);
                move(2);
            });
            Steps.spawn(() -> {
                move(1);
                move(3);
            });
            Steps.awaitOthers();
            assertThat(reached).isNotEqualTo(4);
        }

        private void move(int from) {
            if (reached == from) {
                reached = from + 1;
            }
        }
    }

    @Test
    void findsALostUpdate() {
        assertThatThrownBy(() -> Interleavings.explore(Unguarded.class, RUNS))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Unguarded fails in interleaving ")
                .hasMessageContaining("replay it with -Dinterleaving=")
                .hasMessageContaining("InterleavingsTest.java:")
                .hasMessageNotContaining("does not repeat itself");
    }

    @Test
    void findsADeadlock() {
        assertThatThrownBy(() -> Interleavings.explore(Embrace.class, RUNS))
                .hasMessageContaining("deadlock: thread 1 at InterleavingsTest.java:");
    }

    @Test
    void findsAnOrderOfSeveralEvents() {
        assertThatThrownBy(() -> Interleavings.explore(Deep.class, RUNS)).hasMessageContaining("Deep fails");
    }

    @Test
    void findsNothingWhereMonitorsGuard() {
        assertThatCode(() -> Interleavings.explore(Synchronised.class, RUNS)).doesNotThrowAnyException();
        assertThatCode(() -> Interleavings.explore(Guarded.class, RUNS)).doesNotThrowAnyException();
        assertThatCode(() -> Interleavings.explore(Thrower.class, RUNS)).doesNotThrowAnyException();
    }
}
