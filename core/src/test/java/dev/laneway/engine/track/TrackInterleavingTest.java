package dev.laneway.engine.track;

import dev.laneway.Ordering;
import dev.laneway.engine.Handled;
import dev.laneway.engine.Records;
import dev.laneway.engine.Scene;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.interleave.Interleavings;
import dev.laneway.interleave.Steps;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A track and its scheduler, its workers' steps interleaved in many ways. */
@Execution(ExecutionMode.CONCURRENT) // Its threads are its own.
class TrackInterleavingTest {
    private static final int RUNS = 2_000;

    /** Two polls, handled to the end. */
    public abstract static class ToTheEnd extends Scene {
        private final String first;
        private final String second;

        ToTheEnd(Ordering ordering, int concurrency, boolean mixed, String first, String second) {
            this(new Handled(ordering), concurrency, mixed, ordering, first, second);
        }

        private ToTheEnd(
                Handled handled, int concurrency, boolean mixed, Ordering ordering, String first, String second) {
            super(options(ordering, concurrency), mixed ? mixed(handled) : plain(handled), handled);
            this.first = first;
            this.second = second;
        }

        @Override
        public void run() {
            append(Records.chunk(0, first));
            turn();
            append(Records.chunk(first.length(), second));
            untilDone();
            checkEnd(first.length() + second.length());
        }
    }

    public static final class Keys extends ToTheEnd {
        public Keys() {
            super(Ordering.KEY, 3, false, "aab", "bca");
        }
    }

    public static final class Partition extends ToTheEnd {
        public Partition() {
            super(Ordering.PARTITION, 3, true, "aab", "abc");
        }
    }

    public static final class Unordered extends ToTheEnd {
        public Unordered() {
            super(Ordering.UNORDERED, 3, false, "aaa", "aa");
        }
    }

    public static final class MixedKeys extends ToTheEnd {
        public MixedKeys() {
            super(Ordering.KEY, 3, true, "abab", "aab");
        }
    }

    public static final class OnePermit extends ToTheEnd {
        public OnePermit() {
            super(Ordering.KEY, 1, true, "aab", "ab");
        }
    }

    public static final class MixedUnordered extends ToTheEnd {
        public MixedUnordered() {
            super(Ordering.UNORDERED, 2, true, "aaaa", "aaa");
        }
    }

    /** Records come one by one, and each leaves its permit with a stage. */
    public abstract static class OneByOne extends Scene {
        private OneByOne(Handled handled, int concurrency) {
            super(options(Ordering.KEY, concurrency), later(handled), handled);
        }

        @Override
        public void run() {
            String keys = "abcab";
            for (int i = 0; i < keys.length(); i++) {
                append(Records.chunk(i, keys.substring(i, i + 1)));
                for (int turns = Steps.choose(3); turns > 0; turns--) {
                    Steps.yieldToOthers();
                }
                turn();
            }
            untilDone();
            checkEnd(keys.length());
        }
    }

    public static final class OnePermitOneByOne extends OneByOne {
        public OnePermitOneByOne() {
            super(new Handled(Ordering.KEY), 1);
        }
    }

    public static final class TwoPermitsOneByOne extends OneByOne {
        public TwoPermitsOneByOne() {
            super(new Handled(Ordering.KEY), 2);
        }
    }

    /** A worker that left its permit takes the last one just before another is started for work that has come. */
    public static final class LastPermit extends Scene {
        public LastPermit() {
            this(new Handled(Ordering.KEY));
        }

        private LastPermit(Handled handled) {
            super(options(Ordering.KEY, 1), plain(handled), handled);
        }

        @Override
        public void run() {
            Steps.spawn(() -> {
                for (int i = 0; i < 4; i++) {
                    if (machine.scheduler.acquire()) {
                        machine.scheduler.release();
                    }
                }
            });
            append(Records.chunk(0, "a"));
            untilDone();
            checkEnd(1);
        }
    }

    /** An earlier owner has done some of the records, and one more is in the map's tail. */
    public static final class Restored extends Scene {
        public Restored() {
            this(new Handled(Ordering.KEY));
        }

        private Restored(Handled handled) {
            super(options(Ordering.KEY, 3), plain(handled), handled);
        }

        @Override
        public DecodedMetadata.Map restored() {
            return (DecodedMetadata.Map)
                    DecodedMetadata.Map.of(DecodedMetadata.Map.Origin.LANEWAY, new long[] {0, 1, 3, 4, 5});
        }

        @Override
        public void run() {
            append(Records.chunk(0, "aab"));
            turn();
            append(Records.chunk(3, "aba"));
            untilDone();
            Steps.awaitOthers();
            turn();
            expect("committable", 6, track.progress(LIMIT).offset());
            expect("handled: 0, 3 and 5", 3, handled.offsets(0).size());
            expectAtRest();
        }
    }

    @Test
    @DisplayName("B18 KEY: each record once, each key in order, whoever has the cursor")
    void keys() {
        Interleavings.explore(Keys.class, RUNS);
    }

    @Test
    @DisplayName("B20 PARTITION: strict order, a retry holds its partition")
    void partition() {
        Interleavings.explore(Partition.class, RUNS);
    }

    @Test
    @DisplayName("B1 UNORDERED: each record once, and the commit says no more than is done")
    void unordered() {
        Interleavings.explore(Unordered.class, RUNS);
        Interleavings.explore(MixedUnordered.class, RUNS);
    }

    @Test
    @DisplayName("B18 KEY: failed attempts, stages and sent records keep the order of their key")
    void mixedKeys() {
        Interleavings.explore(MixedKeys.class, RUNS);
    }

    @Test
    @DisplayName("B49 one permit, which stages keep and give back: work never waits with nobody to take it")
    void onePermit() {
        Interleavings.explore(LastPermit.class, 10_000);
        Interleavings.explore(OnePermit.class, RUNS);
        Interleavings.explore(OnePermitOneByOne.class, RUNS);
        Interleavings.explore(TwoPermitsOneByOne.class, RUNS);
    }

    @Test
    @DisplayName("B3 what an earlier owner has done is not handled again, and every commit says so")
    void restored() {
        Interleavings.explore(Restored.class, RUNS);
    }
}
