package dev.laneway.engine.track;

import dev.laneway.engine.StressParts;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** {@link Cursor}: its runner moves it without a lock, while others take it away, stop it, or add records behind it. */
final class CursorStress {
    private static final int NOTHING = -1;

    private CursorStress() {}

    /** The runner steps from record 0 to 1 while a thief takes the cursor from it. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "The thief was first: record 0 is its victim.")
    @Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "The runner was first: record 1 is the victim.")
    @Outcome(id = "1, -1, 1", expect = Expect.ACCEPTABLE, desc = "The runner came in between: the thief has nothing.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A record with two workers, or with none.")
    @State
    public static class Taken {
        private final Cursor cursor = gliding();

        @Actor
        public void runner(III_Result result) {
            result.r1 = cursor.glide(0, 1) ? 1 : 0;
        }

        @Actor
        public void thief(III_Result result) {
            long seen = cursor.look();
            result.r2 = !Cursor.isFree(seen) && cursor.take(seen) ? (int) Cursor.offset(seen) : NOTHING;
        }

        @Arbiter
        public void end(III_Result result) {
            result.r3 = (int) cursor.offset();
        }
    }

    /** The runner steps on while the owner closes the partition: it must ask before its next step. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "It stands at record 0 and must ask.")
    @Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "It stands at record 1 and must ask.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A step was lost, or it goes on though it was stopped.")
    @State
    public static class Halted {
        private final Cursor cursor = gliding();

        @Actor
        public void runner(III_Result result) {
            result.r1 = cursor.glide(0, 1) ? 1 : 0;
        }

        @Actor
        public void owner() {
            cursor.halt();
        }

        @Arbiter
        public void end(III_Result result) {
            result.r2 = (int) cursor.offset();
            result.r3 = cursor.glide(result.r2, 2) ? 1 : 0;
        }
    }

    /** The owner appends a record while a worker looks, without the guard, whether there is one to claim. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The worker came first.")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "It saw the record and has it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A record that was said to be there is not.")
    @State
    public static class Appended {
        private final StressParts parts = new StressParts(1);

        @Actor
        public void owner() {
            parts.append(0);
        }

        @Actor
        public void worker(II_Result result) {
            result.r1 = parts.track.isClaimable() ? 1 : 0;
            result.r2 = result.r1 == 1 && parts.claim() ? 1 : 0;
        }
    }

    /**
     * A runner has the only record. The owner appends one behind it and looks for a free permit; at the same time a
     * worker that has found nothing gives its permit back and looks for records: {@link Track}'s last offset.
     */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "One of them has started a worker.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Each missed what the other did, and nobody comes for the record.")
    @State
    public static class AppendedBehindRunner {
        private final StressParts parts = new StressParts(2);

        public AppendedBehindRunner() {
            parts.append(0);
            parts.claim();
            parts.scheduler.acquire();
            parts.scheduler.acquire();
        }

        @Actor
        public void owner() {
            parts.append(1);
            parts.scheduler.workArrived();
        }

        @Actor
        public void worker() {
            parts.scheduler.release();
        }

        @Arbiter
        public void end(I_Result result) {
            result.r1 = parts.host.started();
        }
    }

    private static Cursor gliding() {
        Cursor cursor = new Cursor(0);
        cursor.start(0, true);
        return cursor;
    }
}
