package dev.laneway.orders;

import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs one process of the tracker until Ctrl-C. */
@Command(
        name = "run",
        header = "Run one process of the order tracker.",
        description = {
            "Merges the topics orders and progress, keeps the state of each order in RocksDB, and writes each change of"
                    + " a status to the topic order-status. Creates the topics that are missing. Events may come late,"
                    + " more than once and in any order: the status is the same in the end.",
            "",
            "Any number of processes with one --application-id share the work. The process can be judged by laneway"
                    + " check --pid; with --property metrics.recording.level=DEBUG it tells the hits of its caches too."
        },
        footer = {
            "",
            "Example: laneway orders run --threads 4 --service 2ms",
            "",
            "Exit codes: 0 ended by a signal or after --for, 1 failed, 2 usage."
        })
final class RunCommand extends Verb {
    @Mixin
    private Connection connection = new Connection();

    @Mixin
    private TrackerOptions options = new TrackerOptions();

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "32",
            description = "Partitions of topics that are created (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--for", paramLabel = "TIME", description = "End after so long (default: run until Ctrl-C).")
    private @Nullable Duration length;

    RunCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        options.check();
        Rules.between("--partitions", partitions, 1, 10_000);
        if (length != null) {
            Rules.positive("--for", length);
        }
        connection.brokerLimit();
    }

    @Override
    protected int run() throws InterruptedException {
        // Kafka brings Log4j, which logs an error if its shutdown hook is made while a signal ends this process.
        System.setProperty("log4j.shutdownHookEnabled", "false");
        Map<String, Object> kafka = connection.kafkaConfig(Connection.LOCAL);
        String cluster = OrderTopics.ensure(kafka, partitions, connection.brokerLimit());
        TrackerCounts counts = new TrackerCounts();
        long start = System.nanoTime();
        boolean inTime;
        try (StateDirectory state = options.state(cluster)) {
            Map<String, Object> properties =
                    options.properties(kafka, state.path().resolve("state"), partitions, counts);
            ExternalCall call = new ExternalCall(options.service());
            RunningTracker tracker = RunningTracker.start(
                    OrderTopology.make(options.forgetAfter(), call, counts),
                    properties,
                    state.path().resolve("library"));
            try (tracker) {
                text().println("order tracker " + options.applicationId() + ", pid "
                        + ProcessHandle.current().pid() + ", " + options.threads() + " threads");
                text().println("state in " + state.path());
                text().flush();
                WatchedTracker.watch(tracker, counts, start, length, stop(), text());
                inTime = tracker.leave();
            }
        }
        report(counts.toJson(options.applicationId(), Duration.ofNanos(System.nanoTime() - start)));
        if (!inTime) {
            throw new VerbFailure("Kafka Streams did not end in time; its partitions are free after its session");
        }
        text().println("ended after " + Text.count(counts.records()) + " records");
        return Program.FINE;
    }
}
