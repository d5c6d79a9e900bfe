package dev.laneway.cli.workload;

import dev.laneway.Laneway;
import dev.laneway.Ordering;
import dev.laneway.PartitionSnapshot;
import dev.laneway.Snapshot;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.observe.LanewayBean;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;

/**
 * Handles a loaded topic once with Laneway, and measures and checks it. {@link #run} is called once; the progress is
 * read by any thread.
 */
public final class ParallelRun {
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final Duration STALL_LIMIT = Duration.ofSeconds(60);

    private final Map<String, Object> kafkaConfig;
    private final Setup setup;
    private final Audit audit;
    private final Consumer<Laneway> onStart;
    private volatile @Nullable Laneway laneway;

    public ParallelRun(Map<String, Object> kafkaConfig, Setup setup, Audit audit) {
        this(kafkaConfig, setup, audit, _ -> {});
    }

    /** @param onStart is shown the consumer as soon as it runs */
    public ParallelRun(Map<String, Object> kafkaConfig, Setup setup, Audit audit, Consumer<Laneway> onStart) {
        this.kafkaConfig = kafkaConfig;
        this.setup = setup;
        this.audit = audit;
        this.onStart = onStart;
    }

    /**
     * What is run. Immutable.
     *
     * @param records how many the topic holds
     * @param work how long each handler waits
     */
    public record Setup(
            String topic,
            String group,
            long records,
            Ordering ordering,
            int concurrency,
            int consumers,
            Duration work) {

        /** The rate that Little's law allows: handlers that may overlap / time of the work; infinite without work. */
        public double littleRate(int keys, int partitions) {
            long lanes = switch (ordering) {
                case KEY -> keys;
                case PARTITION -> partitions;
                case UNORDERED -> Long.MAX_VALUE;
            };
            return Math.min(concurrency, lanes) / (work.toNanos() / 1e9);
        }
    }

    /** Called between looks at the progress; throws to end the run with a failure. */
    public interface Guard {
        /** Throws if the run cannot go on. */
        void check();
    }

    /**
     * What was measured. Immutable.
     *
     * @param worked from the first handler's start to the last one's end
     * @param withJoin from the start of the consumer to the last handler's end
     * @param peakHeapBytes the most heap in use that was seen, what is garbage already included
     * @param failure what ended the consumer early, if anything did
     */
    public record Result(
            long records, Duration worked, Duration withJoin, long peakHeapBytes, Optional<Throwable> failure) {
        public double rate() {
            return records / Math.max(1e-9, worked.toNanos() / 1e9);
        }

        public double rateWithJoin() {
            return records / Math.max(1e-9, withJoin.toNanos() / 1e9);
        }
    }

    /**
     * Runs until every record is done, the consumer fails, nothing moves for a minute, or the end is requested; then
     * closes it.
     */
    @SuppressWarnings("try") // The bean is there for whoever looks from outside.
    public Result run(Stop stop, Guard guard) throws InterruptedException {
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        config.put(ConsumerConfig.GROUP_ID_CONFIG, setup.group());
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        long start = System.nanoTime();
        HeapPeak heap = new HeapPeak();
        Laneway running = Laneway.consumer(config)
                .subscribe(setup.topic())
                .name("demo")
                .ordering(setup.ordering())
                .concurrency(setup.concurrency())
                .consumers(setup.consumers())
                .closeOnShutdown(false)
                .process(record -> audit.handle(record, () -> Simulated.work(setup.work())));
        laneway = running;
        try (LanewayBean bean = LanewayBean.register("demo", running)) {
            onStart.accept(running);
            awaitAll(running, stop, guard, heap);
        } finally {
            running.close();
        }
        Duration worked = audit.worked();
        long join = worked.isZero() ? 0 : audit.firstStartNanos() - start;
        return new Result(audit.done(), worked, worked.plusNanos(join), heap.bytes(), running.failure());
    }

    private void awaitAll(Laneway running, Stop stop, Guard guard, HeapPeak heap) throws InterruptedException {
        long lastDone = 0;
        long lastMove = System.nanoTime();
        while (audit.done() < setup.records() && !running.state().isTerminal() && !stop.await(LOOK)) {
            heap.look();
            guard.check();
            long done = audit.done();
            if (done != lastDone) {
                lastDone = done;
                lastMove = System.nanoTime();
            } else if (System.nanoTime() - lastMove > STALL_LIMIT.toNanos()) {
                throw new VerbFailure("nothing moved for " + Text.duration(STALL_LIMIT) + " after " + Text.count(done)
                        + " records: " + running.health());
            }
        }
    }

    /** The progress. */
    public Progress progress() {
        Laneway running = laneway;
        if (running == null) {
            return Progress.of(0, setup.records());
        }
        Snapshot snapshot = running.snapshot();
        SortedMap<String, Long> lag = Progress.emptyLag();
        for (PartitionSnapshot partition : snapshot.partitions()) {
            partition
                    .lag()
                    .ifPresent(records ->
                            lag.put(Integer.toString(partition.partition().partition()), records));
        }
        return new Progress(audit.done(), setup.records(), audit.running(), snapshot.held(), lag);
    }
}
