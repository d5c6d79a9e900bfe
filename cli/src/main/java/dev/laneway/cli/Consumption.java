package dev.laneway.cli;

import dev.laneway.Backoff;
import dev.laneway.CommitMode;
import dev.laneway.Counters;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.Ordering;
import dev.laneway.Outcome;
import dev.laneway.PartitionSnapshot;
import dev.laneway.RecordContext;
import dev.laneway.Snapshot;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.CopyHeaders;
import dev.laneway.cli.workload.HeapPeak;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.Progress;
import dev.laneway.cli.workload.Simulated;
import dev.laneway.ops.observe.LanewayBean;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Runs the engine over topics with a simulated handler. {@link #run} is called once; the progress is read by any
 * thread.
 */
final class Consumption {
    static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);

    private static final Duration LOOK = Duration.ofMillis(50);
    /** A snapshot of many partitions takes long; snapshots may take 1/50 of the time. */
    private static final int LOOKS_SHARE = 50;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Map<String, Object> kafkaConfig;
    private final Setup setup;
    private final LongAdder attempts = new LongAdder();
    private volatile @Nullable Laneway laneway;

    Consumption(Map<String, Object> kafkaConfig, Setup setup) {
        this.kafkaConfig = kafkaConfig;
        this.setup = setup;
    }

    /**
     * What is run. Immutable.
     *
     * @param maxAttempts attempts of a record, the first one included; {@link #FOR_EVER} without an end
     * @param maxRecords ends after so many records; null for no such end
     * @param idleExit ends after so long without a record; null for no such end
     */
    record Setup(
            List<String> topics,
            String name,
            Ordering ordering,
            int concurrency,
            int consumers,
            Duration work,
            double failRate,
            int maxAttempts,
            Duration backoff,
            @Nullable String deadLetter,
            @Nullable String to,
            CommitMode commit,
            Duration closeLimit,
            @Nullable Long maxRecords,
            @Nullable Duration idleExit) {
        static final int FOR_EVER = Integer.MAX_VALUE;

        FailurePolicy failurePolicy() {
            FailurePolicy retry = FailurePolicy.retry(Backoff.exponential(backoff, LONGEST_BACKOFF), maxAttempts);
            return deadLetter == null ? retry : retry.thenDeadLetter(deadLetter);
        }
    }

    /** The commit modes by the names of --commit. */
    enum Commit {
        ASYNC,
        SYNC,
        AHEAD;

        CommitMode mode(Duration interval) {
            return switch (this) {
                case ASYNC -> CommitMode.async(interval);
                case SYNC -> CommitMode.sync(interval);
                case AHEAD -> CommitMode.ahead();
            };
        }
    }

    /**
     * Runs until a signal, a limit or a failure ends it, and closes it.
     *
     * @param cluster where the records come from
     */
    @SuppressWarnings("try") // The bean is there for whoever looks from outside.
    ConsumeResult run(Stop stop, Cluster cluster) throws InterruptedException {
        long start = System.nanoTime();
        HeapPeak heap = new HeapPeak();
        Laneway running = Laneway.consumer(kafkaConfig)
                .subscribe(setup.topics())
                .name(setup.name())
                .ordering(setup.ordering())
                .concurrency(setup.concurrency())
                .consumers(setup.consumers())
                .onFailure(setup.failurePolicy())
                .commit(setup.commit())
                .closeLimit(setup.closeLimit())
                .closeOnShutdown(false)
                .process(this::handle);
        laneway = running;
        String endedBy;
        Snapshot before;
        try (LanewayBean bean = LanewayBean.register(setup.name(), running)) {
            endedBy = awaitEnd(running, stop, cluster, heap);
            before = running.snapshot();
        } finally {
            running.close();
        }
        return new ConsumeResult(
                setup,
                group(),
                endedBy,
                Duration.ofNanos(System.nanoTime() - start),
                running.snapshot().counters(),
                before.partitions().stream().mapToLong(Consumption::lag).sum(),
                heap.bytes(),
                running.failure().orElse(null));
    }

    private String group() {
        return String.valueOf(kafkaConfig.get(ConsumerConfig.GROUP_ID_CONFIG));
    }

    private Outcome handle(ConsumerRecord<byte[], byte[]> record, RecordContext context) throws InterruptedException {
        attempts.increment();
        Simulated.work(setup.work());
        if (Simulated.fails(setup.failRate(), record.partition(), record.offset(), context.attempt())) {
            throw new Simulated.Failure(context.attempt());
        }
        String to = setup.to();
        return to == null ? Outcome.done() : Outcome.emit(List.of(CopyHeaders.copy(record, context, to)));
    }

    private String awaitEnd(Laneway running, Stop stop, Cluster cluster, HeapPeak heap) throws InterruptedException {
        Idleness idle = new Idleness(() -> cluster.isSharedOut(group(), setup.topics()));
        Duration pause = LOOK;
        while (!stop.await(pause)) {
            long since = System.nanoTime();
            heap.look();
            if (running.state().isTerminal()) {
                return "failure";
            }
            Snapshot snapshot = running.snapshot();
            if (setup.maxRecords() != null && done(snapshot.counters()) >= setup.maxRecords()) {
                return "max-records";
            }
            if (setup.idleExit() != null && idle.lasts(snapshot, attempts.sum(), setup.idleExit())) {
                return "idle";
            }
            pause = pauseAfter(System.nanoTime() - since);
        }
        return "signal";
    }

    /** How long to wait after a snapshot that took this long. */
    static Duration pauseAfter(long lookNanos) {
        Duration share = Duration.ofNanos(lookNanos * LOOKS_SHARE);
        return share.compareTo(LOOK) < 0 ? LOOK : share.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : share;
    }

    /** Records that are done, skipped or dead-lettered. */
    static long done(Counters counters) {
        return counters.processed() + counters.skipped() + counters.deadLettered();
    }

    private static long lag(PartitionSnapshot partition) {
        return partition.lag().orElse(0);
    }

    /** How far it is. */
    Progress progress() {
        Laneway running = laneway;
        if (running == null) {
            return Progress.of(0, Loader.ENDLESS);
        }
        Snapshot snapshot = running.snapshot();
        SortedMap<String, Long> lag = Progress.emptyLag();
        snapshot.partitions().forEach(partition -> lag.put(partition.partition().toString(), lag(partition)));
        long total = setup.maxRecords() == null ? Loader.ENDLESS : setup.maxRecords();
        return new Progress(done(snapshot.counters()), total, snapshot.runningWorkers(), snapshot.held(), lag);
    }
}
