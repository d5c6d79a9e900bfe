package dev.laneway.orders;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.Verb;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs one process of the tracker on Laneway until Ctrl-C. */
@Command(
        name = "run-laneway",
        header = "Run one process of the order tracker, on Laneway.",
        description = {
            "Does what run does, exactly once, on Laneway: many orders at a time, each in the order of its events. The"
                    + " events of both topics go to a topic ID-events first, where those of an order are in one"
                    + " partition; its state is kept in memory and in the compacted topic ID-state, which the next"
                    + " owner of the partition reads. Creates the topics that are missing.",
            "",
            "Any number of processes with one --application-id share the work. The process can be judged by laneway"
                    + " check --pid."
        },
        footer = {
            "",
            "Example: laneway orders run-laneway --instance one --service 2ms",
            "",
            "Exit codes: 0 ended by a signal or after --for, 1 failed, 2 usage."
        })
final class RunLanewayCommand extends Verb {
    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--application-id",
            paramLabel = "ID",
            defaultValue = "order-tracker-laneway",
            description = "Processes with the same id share the work; it is the group's name (default:"
                    + " ${DEFAULT-VALUE}).")
    private String applicationId = "";

    @Option(
            names = "--instance",
            paramLabel = "NAME",
            description = "This process, unlike any other and the same after a restart: what a crash has left open then"
                    + " ends at once, and else after 30 s (default: a random one).")
    private @Nullable String instance;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "64",
            description = "Events of different orders that are handled at once (default: ${DEFAULT-VALUE}).")
    private int concurrency;

    @Option(
            names = "--service",
            paramLabel = "TIME",
            defaultValue = "0",
            description = "How long each event waits for another service, as if it called one (default:"
                    + " ${DEFAULT-VALUE}).")
    private Duration service = Duration.ZERO;

    @Option(
            names = "--forget-after",
            paramLabel = "TIME",
            defaultValue = "10m",
            description = "Remove an order that has ended so long after its last event; events that are later than"
                    + " that are left out (default: ${DEFAULT-VALUE}).")
    private Duration forgetAfter = Duration.ofMinutes(10);

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "32",
            description = "Partitions of topics that are created (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--for", paramLabel = "TIME", description = "End after so long (default: run until Ctrl-C).")
    private @Nullable Duration length;

    RunLanewayCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        TrackerOptions.checkId(applicationId);
        if (instance != null) {
            Rules.named("--instance", instance);
        }
        Rules.between("--concurrency", concurrency, 1, 100_000);
        Rules.positive("--forget-after", forgetAfter);
        Rules.between("--partitions", partitions, 1, 10_000);
        if (length != null) {
            Rules.positive("--for", length);
        }
        if (connection.kafkaConfig(null).containsKey("group.id")) {
            throw new ConfigurationException(
                    "--property",
                    "group.id",
                    "must not be given, since --application-id is the group's name",
                    "give --application-id");
        }
        connection.brokerLimit();
    }

    @Override
    protected int run() throws InterruptedException {
        // Kafka brings Log4j, which logs an error if its shutdown hook is made while a signal ends this process.
        System.setProperty("log4j.shutdownHookEnabled", "false");
        Map<String, Object> kafka = connection.kafkaConfig(Connection.LOCAL);
        var _ = OrderTopics.ensure(kafka, partitions, connection.brokerLimit());
        OrderTopics.ensure(kafka, OwnTopics.of(applicationId), partitions, connection.brokerLimit());
        TrackerCounts counts = new TrackerCounts();
        long start = System.nanoTime();
        String name = instance == null ? UUID.randomUUID().toString() : instance;
        LanewayTracker.Setup setup = new LanewayTracker.Setup(applicationId, name, concurrency, service, forgetAfter);
        try (LanewayTracker tracker = LanewayTracker.start(kafka, setup, counts)) {
            text().println("order tracker " + applicationId + " on Laneway, pid "
                    + ProcessHandle.current().pid() + ", " + Text.count(concurrency) + " at once");
            text().flush();
            WatchedTracker.watch(tracker, counts, start, length, stop(), text());
        }
        report(counts.toJson(applicationId, Duration.ofNanos(System.nanoTime() - start)));
        text().println("ended after " + Text.count(counts.records()) + " records");
        return Program.FINE;
    }
}
