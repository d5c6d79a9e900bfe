package dev.laneway.orders;

import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Round;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
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
    private static final Duration STATUS_INTERVAL = Duration.ofSeconds(5);
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);

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
                watch(tracker, counts, start);
                inTime = tracker.leave();
            }
        }
        report(result(counts, Duration.ofNanos(System.nanoTime() - start)));
        if (!inTime) {
            throw new VerbFailure("Kafka Streams did not end in time; its partitions are free after its session");
        }
        text().println("ended after " + Text.count(counts.records()) + " records");
        return Program.FINE;
    }

    private void watch(RunningTracker tracker, TrackerCounts counts, long start) throws InterruptedException {
        long told = start;
        long toldRecords = 0;
        while (!stop().await(LOOK_INTERVAL)) {
            if (tracker.hasEnded()) {
                throw new VerbFailure("the order tracker has ended: " + tracker.reason());
            }
            long now = System.nanoTime();
            if (length != null && now - start >= length.toNanos()) {
                return;
            }
            if (now - told >= STATUS_INTERVAL.toNanos()) {
                long records = counts.records();
                text().println(line(tracker, counts, (records - toldRecords) / ((now - told) / 1e9)));
                text().flush();
                told = now;
                toldRecords = records;
            }
        }
    }

    private static String line(RunningTracker tracker, TrackerCounts counts, double rate) {
        OptionalLong orders = tracker.orders();
        return tracker.state().name().toLowerCase(Locale.ROOT).replace('_', ' ') + "  " + Text.rate(rate)
                + " records/s"
                + (orders.isPresent() ? "  " + Text.count(orders.getAsLong()) + " orders" : "")
                + (counts.malformed.sum() > 0 ? "  " + Text.count(counts.malformed.sum()) + " malformed" : "");
    }

    private Map<String, Object> result(TrackerCounts counts, Duration took) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("application_id", options.applicationId());
        result.put("records", counts.records());
        result.put("advanced", counts.advanced.sum());
        result.put("late", counts.late.sum());
        result.put("repeated", counts.repeated.sum());
        result.put("too_late", counts.tooLate.sum());
        result.put("malformed", counts.malformed.sum());
        result.put("forgotten", counts.forgotten.sum());
        result.put("seconds", Round.to3(took.toNanos() / 1e9));
        return result;
    }
}
