package dev.laneway.proof;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.BrokerProcess;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.ParallelRun;
import dev.laneway.cli.workload.Simulated;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A steady load for a long time. */
@Command(
        name = "soak",
        header = "Give Laneway a steady load for a long time, and see whether anything grows.",
        description = {
            "Starts a Kafka broker in a JVM of its own, unless --bootstrap names one; measures what the consumer can"
                    + " do; then gives it 70 %% of that, with retries and dead letters. Once a minute, or 20 times in"
                    + " shorter soaks, a second member joins and leaves, and heap after a full collection, threads,"
                    + " open files and the latencies of that round are noted.",
            "",
            "It fails when one of these grows over the second half, or when a record is lost, doubled or out of order."
                    + " docs/reliability.md tells how growth is told from noise."
        },
        footer = {
            "",
            "Example: laneway soak --minutes 30 --json soak.json",
            "",
            "Exit codes: 0 nothing grows and all checks hold, 1 something does not or it was stopped, 2 usage."
        })
final class SoakCommand extends Verb {
    private static final double LEAST_MINUTES = 0.5;

    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "5",
            description = "How long the load lasts, at least 0.5 (default: ${DEFAULT-VALUE}).")
    private double minutes;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "8",
            description = "Partitions of the topics (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "10000",
            description = "How many keys the records have (default: ${DEFAULT-VALUE}).")
    private int keys;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "32",
            description = "Handlers of a member at once (default: ${DEFAULT-VALUE}).")
    private int concurrency;

    @Option(
            names = "--work",
            paramLabel = "TIME",
            defaultValue = "10ms",
            description = "How long a handler takes (default: ${DEFAULT-VALUE}).")
    private Duration work = Duration.ZERO;

    SoakCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        if (!(minutes >= LEAST_MINUTES && minutes <= 100_000)) {
            throw new ConfigurationException(
                    "--minutes", minutes, "must be from " + LEAST_MINUTES + " to 100000", "30 is a usual length");
        }
        Rules.between("--partitions", partitions, 1, 1_000);
        Rules.between("--keys", keys, 1, 10_000_000);
        Rules.between("--concurrency", concurrency, 1, 1_000_000);
        connection.brokerLimit();
    }

    @Override
    protected int run() throws InterruptedException {
        Simulated.logNoFailures();
        if (connection.isGiven()) {
            return run(connection.kafkaConfig(null), () -> {});
        }
        text().println("Starting a Kafka broker");
        try (BrokerProcess broker = BrokerProcess.start()) {
            Map<String, Object> config = connection.kafkaConfig(null);
            config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
            return run(config, broker::check);
        }
    }

    private int run(Map<String, Object> config, ParallelRun.Guard guard) throws InterruptedException {
        String topic = "laneway-soak-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        SoakPlan plan = new SoakPlan(Duration.ofNanos((long) (minutes * 60e9)), partitions, keys, concurrency, work);
        try (Cluster cluster = Cluster.connect(config, connection.brokerLimit())) {
            try {
                SoakResult result = new SoakRun(plan, config, cluster, topic, text(), stop(), guard, () -> {}).run();
                if (result == null) {
                    text().println("Stopped before the end; nothing was judged");
                    return Program.FAILED;
                }
                result.print(text());
                report(result.toJson());
                return result.isFine() ? Program.FINE : Program.FAILED;
            } finally {
                if (connection.isGiven()) {
                    cluster.deleteQuietly(SoakRun.names(topic), SoakRun.names(topic));
                }
            }
        }
    }
}
