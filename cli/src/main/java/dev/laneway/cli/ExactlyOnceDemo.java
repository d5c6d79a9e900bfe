package dev.laneway.cli;

import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.ParallelRun;
import dev.laneway.cli.workload.Progress;
import dev.laneway.cli.workload.TopicReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.TopicPartition;

/**
 * Copies a topic exactly once with several processes, kills one after the other, and checks the copies. {@link #run} is
 * called once; the progress is read by any thread.
 */
final class ExactlyOnceDemo {
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration STALL_LIMIT = Duration.ofMinutes(2);
    /** The brokers' minimum by default, so that the others soon get the partitions of a killed member. */
    private static final String SESSION_MS = "6000";

    private static final String HEARTBEAT_MS = "1000";

    private final Map<String, Object> kafkaConfig;
    private final Cluster cluster;
    private final Setup setup;
    private volatile Progress progress;

    /**
     * What is run. Immutable.
     *
     * @param run what each member is told; the concurrency is shared out among them
     * @param copies the topic that the copies go to
     * @param members processes at any time
     * @param kills how many of them are killed
     */
    record Setup(ParallelRun.Setup run, String copies, int keys, int partitions, int members, int kills) {}

    /**
     * The result. Immutable.
     *
     * @param took from the start of the first process until all is committed
     * @param written copies in the log, those of aborted transactions included
     */
    record Result(Duration took, long written, CopiesCheck check, boolean committedEqualsEnd) {
        double rate(long records) {
            return records / Math.max(1e-9, took.toNanos() / 1e9);
        }
    }

    ExactlyOnceDemo(Map<String, Object> kafkaConfig, Cluster cluster, Setup setup) {
        this.kafkaConfig = new HashMap<>(kafkaConfig);
        if (!"consumer".equals(kafkaConfig.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG))) {
            this.kafkaConfig.putIfAbsent(CommonClientConfigs.SESSION_TIMEOUT_MS_CONFIG, SESSION_MS);
            this.kafkaConfig.putIfAbsent(CommonClientConfigs.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_MS);
        }
        this.cluster = cluster;
        this.setup = setup;
        this.progress = Progress.of(0, setup.run().records());
    }

    /** Runs until all is copied and committed; empty when it was asked to end before. */
    Optional<Result> run(Stop stop, ParallelRun.Guard guard) throws InterruptedException {
        long start = System.nanoTime();
        Duration took;
        try (CopyProcesses members = new CopyProcesses(setup, kafkaConfig)) {
            members.start();
            if (!copyAll(members, stop, guard)) {
                return Optional.empty();
            }
            took = Duration.ofNanos(System.nanoTime() - start);
            members.end();
        }
        Map<TopicPartition, Long> ends = cluster.endOffsets(setup.copies(), setup.partitions());
        CopiesCheck check = new CopiesCheck(setup.run().ordering(), setup.run().records(), setup.keys());
        TopicReader.read(reading("read_committed"), ends, check::add);
        long[] written = new long[1];
        TopicReader.read(reading("read_uncommitted"), ends, _ -> written[0]++);
        return Optional.of(new Result(
                took,
                written[0],
                check,
                cluster.isAllCommitted(setup.run().group(), setup.run().topic(), setup.partitions())));
    }

    private Map<String, Object> reading(String isolation) {
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation);
        return config;
    }

    private boolean copyAll(CopyProcesses members, Stop stop, ParallelRun.Guard guard) throws InterruptedException {
        long records = setup.run().records();
        int killed = 0;
        long moved = System.nanoTime();
        while (progress.done() < records) {
            if (stop.await(LOOK)) {
                return false;
            }
            guard.check();
            members.check();
            long before = progress.done();
            look(records);
            // At even intervals of the work; the last one well before its end.
            if (killed < setup.kills() && progress.done() >= records * (killed + 1) / (setup.kills() + 1)) {
                members.replace(killed++ % setup.members());
            }
            moved = progress.done() == before ? moved : System.nanoTime();
            if (System.nanoTime() - moved > STALL_LIMIT.toNanos()) {
                throw new VerbFailure("nothing was committed for " + Text.duration(STALL_LIMIT) + "; the members say: "
                        + members.lastWords());
            }
        }
        return true;
    }

    private void look(long records) {
        SortedMap<String, Long> lag = Progress.emptyLag();
        cluster.uncommitted(setup.run().group(), setup.run().topic(), setup.partitions())
                .forEach((partition, left) -> lag.put(Integer.toString(partition.partition()), left));
        long left = lag.values().stream().mapToLong(Long::longValue).sum();
        progress = new Progress(records - left, records, Progress.UNKNOWN, Progress.UNKNOWN, lag);
    }

    /** How much is committed. */
    Progress progress() {
        return progress;
    }
}
