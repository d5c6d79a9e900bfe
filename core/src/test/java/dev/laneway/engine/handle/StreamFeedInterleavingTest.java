package dev.laneway.engine.handle;

import dev.laneway.Ordering;
import dev.laneway.engine.Machine;
import dev.laneway.engine.Records;
import dev.laneway.engine.Scene;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.SteppedHost;
import dev.laneway.interleave.Interleavings;
import dev.laneway.interleave.Steps;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A feed between its owner, the thread that delivers from it, and those who acknowledge. */
class StreamFeedInterleavingTest {
    private static final int RUNS = 2_000;
    private static final int LIMIT = 4096;

    /** Everything is delivered and acknowledged, in any order, while the owner looks at what it may commit. */
    public static class Delivering implements Runnable {
        private final SteppedHost host = new SteppedHost();
        final Machine machine = new Machine(
                host,
                Scene.options(Ordering.PARTITION, 1),
                new HandlerSpec.Streaming(NoOutlet.OUTLET, HandlerSpec.Streaming.Kind.COMMITTABLE),
                new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name()),
                null);
        final StreamFeed feed = new StreamFeed(
                Records.ORDERS_0,
                1,
                0,
                null,
                (HandlerSpec.Streaming) machine.handling,
                machine.wake,
                machine.counts,
                new HealthConditions(machine.host),
                () -> CompletableFuture.completedStage(null));
        /** What happened, each in one step: a reference that is swapped is one access. */
        private final AtomicReference<Set<Long>> delivered = new AtomicReference<>(Set.of());

        private final AtomicReference<Set<Long>> acknowledged = new AtomicReference<>(Set.of());
        private final AtomicReference<Boolean> woken = new AtomicReference<>(false);
        private final AtomicReference<Boolean> over = new AtomicReference<>(false);
        private long committable;

        /**
         * Begins to acknowledge before it says so: what the owner commits may be ahead of what is noted, not behind.
         */
        private static void note(AtomicReference<Set<Long>> noted, long offset) {
            noted.updateAndGet(before -> {
                Set<Long> more = new TreeSet<>(before);
                more.add(offset);
                return more;
            });
        }

        /** Delivers until it is over, in runs of random length. */
        private void deliver() {
            while (true) {
                Steps.await(() -> woken.get() || over.get());
                woken.set(false);
                for (RecordSlice run = feed.take(1 + Steps.choose(3));
                        run != null;
                        run = feed.take(1 + Steps.choose(3))) {
                    List<Long> batch = new ArrayList<>();
                    int at = run.from();
                    while (at < run.to() && !feed.isClosed()) {
                        long offset = run.records().get(at).offset();
                        at++;
                        note(delivered, offset);
                        batch.add(offset);
                    }
                    List<Long> acknowledging = Steps.choose(2) == 0 ? batch : batch.reversed();
                    Steps.spawn(() -> acknowledging.forEach(offset -> {
                        note(acknowledged, offset);
                        feed.done(offset, "");
                    }));
                    if (at == run.to()) {
                        feed.delivered();
                    } else {
                        feed.giveBack(run, at);
                    }
                }
                if (over.get() || feed.isClosed()) {
                    return;
                }
            }
        }

        void begin() {
            feed.listen(() -> woken.set(true));
            Steps.spawn(this::deliver);
        }

        void append(long from, String keys) {
            feed.append(Records.chunk(from, keys), from + keys.length());
        }

        /** What may be committed was acknowledged, and never goes back. */
        void look() {
            Progress progress = feed.progress(LIMIT);
            Set<Long> known = acknowledged.get();
            if (progress.offset() < committable) {
                throw new AssertionError("committable went back from " + committable + " to " + progress.offset());
            }
            committable = progress.offset();
            for (long offset = 0; offset < progress.offset(); offset++) {
                expectDone(known, offset, progress);
            }
            if (OffsetMap.decode(feed.partition, progress.offset(), progress.metadata())
                    instanceof DecodedMetadata.Map map) {
                for (long offset = progress.offset(); offset < map.cursor(); offset++) {
                    if (map.isDone(offset)) {
                        expectDone(known, offset, progress);
                    }
                }
            }
        }

        private static void expectDone(Set<Long> known, long offset, Progress progress) {
            if (!known.contains(offset)) {
                throw new AssertionError("a commit of " + progress + " says that " + offset + " is done");
            }
        }

        Set<Long> delivered() {
            return delivered.get();
        }

        long acknowledged() {
            return acknowledged.get().size();
        }

        void over() {
            over.set(true);
            woken.set(true);
        }

        @Override
        public void run() {
            begin();
            append(0, "abc");
            look();
            append(3, "defg");
            while (feed.progress(LIMIT).offset() < 7) {
                look();
                Steps.yieldToOthers();
            }
            over();
            Steps.awaitOthers();
            look();
            Scene.expect("delivered", 7, delivered().size());
            Scene.expect("held", 0, feed.ledger.records());
            Scene.expect("held bytes", 0, feed.ledger.bytes());
            Scene.expect("processed", 7, machine.counts.processed.sum());
        }
    }

    /** Closed while it is at work: nothing more is delivered, and the owner is woken when the last one is done. */
    public static final class Closing extends Delivering {
        @Override
        public void run() {
            begin();
            append(0, "abcde");
            for (int turns = Steps.choose(4); turns > 0; turns--) {
                Steps.yieldToOthers();
                look();
            }
            feed.close();
            while (feed.busy() > 0) {
                look();
                machine.wake.park(Long.MAX_VALUE); // A signal that is lost is a deadlock.
            }
            int before = delivered().size();
            over();
            Steps.awaitOthers();
            look();
            Scene.expect("delivered after all was done", before, delivered().size());
            Scene.expect("acknowledged", before, acknowledged());
            Scene.expect("committable", before, feed.progress(LIMIT).offset());
            Scene.expect("processed", before, machine.counts.processed.sum());
            Scene.expect("dropped", 0, feed.drop());
        }
    }

    /** Dropped while it is at work: what is acknowledged afterwards is late. */
    public static final class Dropping extends Delivering {
        @Override
        public void run() {
            begin();
            append(0, "abcde");
            for (int turns = Steps.choose(4); turns > 0; turns--) {
                Steps.yieldToOthers();
                look();
            }
            feed.drop();
            over();
            Steps.awaitOthers();
            Scene.expect("busy", 0, feed.busy());
            Scene.expect("held", 0, feed.ledger.records());
            Scene.expect("done or late", acknowledged(), machine.counts.processed.sum() + machine.counts.late.sum());
        }
    }

    @Test
    @DisplayName("B66 B70 however threads interleave, each record is delivered once and no commit passes an open one")
    void delivering() {
        Interleavings.explore(Delivering.class, RUNS);
    }

    @Test
    @DisplayName("B68 a feed that is closed at any moment delivers no more, and its owner learns when all is done")
    void closing() {
        Interleavings.explore(Closing.class, RUNS);
    }

    @Test
    @DisplayName("B68 B71 a feed that is dropped at any moment ignores what is acknowledged later")
    void dropping() {
        Interleavings.explore(Dropping.class, RUNS);
    }
}
