package dev.laneway.engine.runtime;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * {@link Guard} is a lock made by hand: one holder at a time, who sees all that the one before has written.
 *
 * <p>On x86 these tests fail when two threads are inside at once, but not when the guard is given back by a plain or
 * opaque write, or taken by a plain swap: there the processor keeps the order of writes and of reads, and a swap is a
 * fence whatever its mode. That the release and the acquire are needed can be seen on ARM only.
 */
final class GuardStress {
    private GuardStress() {}

    /** Two threads wait for the guard and count; each holds it twice over meanwhile. */
    @JCStressTest
    @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "One after the other.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Both had the guard, or one did not see what the other wrote.")
    @State
    public static class Entered {
        private final Guard guard = new Guard();
        private int counted;

        @Actor
        public void first() {
            count();
        }

        @Actor
        public void second() {
            count();
        }

        private void count() {
            try (var _ = guard.enter()) {
                int before = counted;
                try (var _ = guard.enter()) {
                    counted = before + 1;
                }
            }
        }

        @Arbiter
        public void total(I_Result result) {
            result.r1 = counted;
        }
    }

    /** One thread writes two fields under the guard; another reads them, if it gets the guard at once. */
    @JCStressTest
    @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "The guard was taken.")
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The reader came first.")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The writer came first.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Half of what was written under the guard.")
    @State
    public static class Written {
        private final Guard guard = new Guard();
        private int one;
        private int other;

        @Actor
        public void write() {
            try (var _ = guard.enter()) {
                one = 1;
                other = 1;
            }
        }

        @Actor
        public void read(II_Result result) {
            if (!guard.tryEnter()) {
                result.r1 = -1;
                result.r2 = -1;
                return;
            }
            try (var _ = guard) {
                result.r1 = other;
                result.r2 = one;
            }
        }
    }

    /**
     * What the guard does not promise, as its comment says: each thread writes a plain field under a guard of its own,
     * and looks at the other's after it. Both may miss the other, so such fields must be volatile. This test shows what
     * happens and forbids nothing, so it cannot fail.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "One has seen the other.")
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE_INTERESTING, desc = "Giving back is a release and no fence.")
    @State
    public static class NoFence {
        private final Guard first = new Guard();
        private final Guard second = new Guard();
        private int one;
        private int other;

        @Actor
        public void first(II_Result result) {
            try (var _ = first.enter()) {
                one = 1;
            }
            result.r1 = other;
        }

        @Actor
        public void second(II_Result result) {
            try (var _ = second.enter()) {
                other = 1;
            }
            result.r2 = one;
        }
    }
}
