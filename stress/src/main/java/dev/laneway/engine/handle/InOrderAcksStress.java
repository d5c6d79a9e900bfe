package dev.laneway.engine.handle;

import dev.laneway.engine.StressParts;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** {@link InOrderAcks}, as {@link StreamFeed} uses it: acknowledgements that take no lock, and none of them is lost. */
final class InOrderAcksStress {
    private static final int RECORDS = 3;
    private static final int METADATA = 100;

    private InOrderAcksStress() {}

    /** Two threads acknowledge the first two records at once, in whatever order; the third is undone. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "Both are done.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An acknowledgement was lost, or one was made up.")
    @State
    public static class AtOnce {
        private final StreamFeed feed = StressParts.delivered(RECORDS);

        @Actor
        public void first() {
            feed.done(0, null);
        }

        @Actor
        public void second() {
            feed.done(1, null);
        }

        @Arbiter
        public void end(II_Result result) {
            read(feed, result);
        }
    }

    /** The partition is closed while its next record is acknowledged: that ends the streak. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "It counts.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It was taken for done, and the window never learnt of it.")
    @State
    public static class AtTheEnd {
        private final StreamFeed feed = StressParts.delivered(RECORDS);

        @Actor
        public void acknowledge() {
            feed.done(0, null);
        }

        @Actor
        public void owner() {
            feed.close();
        }

        @Arbiter
        public void end(II_Result result) {
            read(feed, result);
        }
    }

    /** More is delivered while the last record is acknowledged: the streak goes on behind it. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "The first is done, the second is not.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An acknowledgement was lost, or one was made up.")
    @State
    public static class WhileMoreComes {
        private final StreamFeed feed = StressParts.delivered(1);

        public WhileMoreComes() {
            feed.append(StressParts.chunk(1, 1), 2);
        }

        @Actor
        public void acknowledge() {
            feed.done(0, null);
        }

        @Actor
        public void deliver() {
            feed.take(1);
            feed.delivered();
        }

        @Arbiter
        public void end(II_Result result) {
            read(feed, result);
        }
    }

    private static void read(StreamFeed feed, II_Result result) {
        result.r1 = (int) feed.progress(METADATA).offset();
        result.r2 = feed.unacknowledged();
    }
}
