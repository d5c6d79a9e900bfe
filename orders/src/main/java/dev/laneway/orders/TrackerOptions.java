package dev.laneway.orders;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Rules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.streams.StreamsConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the tracker runs. Filled by the parser, then read only. */
final class TrackerOptions {
    private static final long MIB = 1 << 20;
    private static final long MOST_MIB = 1 << 20;
    private static final int COMMIT_MILLIS = 1_000;
    /** The least that Kafka Streams takes. */
    private static final long PROBING_MILLIS = 60_000;

    @Option(
            names = "--application-id",
            paramLabel = "ID",
            defaultValue = "order-tracker",
            description = "Processes with the same id share the work; it is the group's name (default:"
                    + " ${DEFAULT-VALUE}).")
    private String applicationId = "";

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "2",
            description = "Stream threads of this process (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--standbys",
            paramLabel = "N",
            defaultValue = "1",
            description = "Copies of each order's state in further processes, as far as there are any (default:"
                    + " ${DEFAULT-VALUE}).")
    private int standbys;

    @Option(
            names = "--service",
            paramLabel = "TIME",
            defaultValue = "0",
            description = "How long each record waits for another service, as if it called one (default:"
                    + " ${DEFAULT-VALUE}).")
    private Duration service = Duration.ZERO;

    @Option(
            names = "--state-dir",
            paramLabel = "DIR",
            description = "Keep state below this directory, where any number of processes have a place of their own"
                    + " each, and find it again (default: below target/orders, removed at the end).")
    private @Nullable Path stateDir;

    @Option(
            names = "--block-cache",
            paramLabel = "MIB",
            defaultValue = "64",
            description = "RocksDB's block cache for all stores together, write buffers included (default:"
                    + " ${DEFAULT-VALUE}).")
    private long blockCache;

    @Option(
            names = "--write-buffers",
            paramLabel = "MIB",
            defaultValue = "32",
            description = "RocksDB's write buffers for all stores together (default: ${DEFAULT-VALUE}).")
    private long writeBuffers;

    @Option(
            names = "--direct-reads",
            description = "Read state past the page cache of the machine, so that only the block cache counts.")
    private boolean directReads;

    @Option(
            names = "--forget-after",
            paramLabel = "TIME",
            defaultValue = "10m",
            description = "Remove an order that has ended so long after its last event; events that are later than"
                    + " that are left out (default: ${DEFAULT-VALUE}).")
    private Duration forgetAfter = Duration.ofMinutes(10);

    @Option(names = "--exactly-once", description = "Process in transactions.")
    private boolean exactlyOnce;

    void check() {
        checkId(applicationId);
        Rules.between("--threads", threads, 1, 1_000);
        Rules.between("--standbys", standbys, 0, 100);
        Rules.directory("--state-dir", stateDir);
        Rules.between("--block-cache", blockCache, 1, MOST_MIB);
        Rules.between("--write-buffers", writeBuffers, 1, MOST_MIB);
        if (writeBuffers > blockCache) {
            throw new ConfigurationException(
                    "--write-buffers",
                    writeBuffers,
                    "must be at most --block-cache (" + blockCache + "), of which they are a part",
                    "half of it is usual");
        }
        Rules.positive("--forget-after", forgetAfter);
    }

    /** Refuses an {@code --application-id} that cannot be part of a topic's name. */
    static void checkId(String applicationId) {
        Rules.named("--application-id", applicationId);
        if (!applicationId.matches("[a-zA-Z0-9._-]+")) {
            throw new ConfigurationException(
                    "--application-id",
                    applicationId,
                    "must be of letters, digits, dots, hyphens and underscores, since topics are named after it",
                    "give another one");
        }
    }

    String applicationId() {
        return applicationId;
    }

    int threads() {
        return threads;
    }

    Duration service() {
        return service;
    }

    Duration forgetAfter() {
        return forgetAfter;
    }

    /** Takes the directory of this process. */
    StateDirectory state(String cluster) {
        if (stateDir != null) {
            return StateDirectory.lasting(stateDir, cluster);
        }
        String root = System.getenv("LANEWAY_ROOT"); // The launcher tells where it is.
        return StateDirectory.temporary(Path.of(root == null ? "" : root, "target", "orders"));
    }

    /** What Kafka Streams is configured with; what the user gives of its properties wins. */
    Map<String, Object> properties(Map<String, Object> kafkaConfig, Path state, int partitions, TrackerCounts counts) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, applicationId);
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, threads);
        properties.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, standbys);
        properties.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        properties.put(
                StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                exactlyOnce ? StreamsConfig.EXACTLY_ONCE_V2 : StreamsConfig.AT_LEAST_ONCE);
        if (!exactlyOnce) {
            properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_MILLIS); // So that lag is what waits.
        }
        // By themselves two tasks move to a new process at a time, and the next ones ten minutes later.
        properties.put(StreamsConfig.MAX_WARMUP_REPLICAS_CONFIG, partitions);
        properties.put(StreamsConfig.PROBING_REBALANCE_INTERVAL_MS_CONFIG, PROBING_MILLIS);
        properties.put(StreamsConfig.DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG, MalformedRecords.class);
        properties.put(MalformedRecords.COUNTS, counts);
        BoundedStores.configure(properties, blockCache * MIB, writeBuffers * MIB, directReads);
        properties.putAll(kafkaConfig);
        return properties;
    }
}
