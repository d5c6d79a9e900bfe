package dev.laneway.engine.handle;

import dev.laneway.engine.StressParts;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The permits of {@link Scheduler}: never more than there are, and nobody ends while work has come. */
final class SchedulerStress {
    private SchedulerStress() {}

    /** Two workers want the last permit. */
    @JCStressTest
    @Outcome(
            id = {"0, 1, 1", "1, 0, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "One has it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Both have it, or none has.")
    @State
    public static class LastPermit {
        private final StressParts parts = new StressParts(1);

        @Actor
        public void first(III_Result result) {
            result.r1 = parts.scheduler.acquire() ? 1 : 0;
        }

        @Actor
        public void second(III_Result result) {
            result.r2 = parts.scheduler.acquire() ? 1 : 0;
        }

        @Arbiter
        public void end(III_Result result) {
            result.r3 = parts.scheduler.running();
        }
    }

    /** Two threads bring work at once: at most one worker is starting at any time, and it starts the next. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "One worker starts.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Two start at once, or none.")
    @State
    public static class Start {
        private final StressParts parts = new StressParts(2);

        @Actor
        public void owner() {
            parts.append(0);
            parts.scheduler.workArrived();
        }

        @Actor
        public void other() {
            parts.scheduler.workArrived();
        }

        @Arbiter
        public void end(II_Result result) {
            result.r1 = parts.host.started();
            result.r2 = parts.scheduler.running();
        }
    }

    /** The last worker gives its permit back and looks again, while the owner appends and looks for a permit. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "One of them has started a worker.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Each missed what the other did, and the record lies there.")
    @State
    public static class LastWorkerEnds {
        private final StressParts parts = new StressParts(1);

        public LastWorkerEnds() {
            parts.scheduler.acquire();
        }

        @Actor
        public void owner() {
            parts.append(0);
            parts.scheduler.workArrived();
        }

        @Actor
        public void worker() {
            parts.scheduler.release();
        }

        @Arbiter
        public void end(II_Result result) {
            result.r1 = parts.host.started();
            result.r2 = parts.scheduler.running();
        }
    }

    /** A worker that is starting says so and looks for work, while the owner appends and sees that one is starting. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0", "1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "Somebody comes for the record.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The owner relied on a worker that has found nothing.")
    @State
    public static class WorkerStarts {
        private final StressParts parts = new StressParts(2);

        public WorkerStarts() {
            parts.append(0);
            parts.scheduler.workArrived(); // One is starting from now on.
            parts.handle();
        }

        @Actor
        public void owner() {
            parts.append(1);
            parts.scheduler.workArrived();
        }

        @Actor
        public void worker(II_Result result) {
            parts.scheduler.started();
            result.r1 = parts.track.isClaimable() ? 1 : 0;
        }

        @Arbiter
        public void end(II_Result result) {
            result.r2 = parts.host.started() - 1;
        }
    }
}
