package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.ops.ConsumerProbe;
import dev.laneway.ops.GroupLag;
import dev.laneway.ops.LagFailure;
import dev.laneway.ops.LagMonitor;
import dev.laneway.ops.LagOptions;
import dev.laneway.ops.RecordProbe;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the lag of groups. */
@Command(
        name = "lag",
        header = "Show how far groups of any kind are behind, in records and in seconds.",
        description = {
            "For each partition: lag, its trend, how long the first waiting record has waited (with the error bar),"
                    + " when nothing will wait any more, and a status. Changes nothing, and joins no group."
        },
        footer = {
            "",
            "Example: laneway lag --group shop --watch",
            "",
            "Exit codes: 0 all was measured, however much lag there is; 1 failed, or a part could not be measured;"
                    + " 2 usage."
        })
final class LagCommand extends Verb {
    private static final String UNCOMMITTED = "read_uncommitted";
    private static final String COMMITTED = "read_committed";

    @Mixin
    private Connection connection = new Connection();

    @Option(names = "--group", paramLabel = "GROUP", description = "The group: classic, consumer, streams or share.")
    private @Nullable String group;

    @Option(names = "--all", description = "All groups that you may see.")
    private boolean all;

    @Option(names = "--watch", description = "Go on until SIGTERM or Ctrl-C.")
    private boolean watch;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "4s",
            description = "How long to take samples without --watch (default: ${DEFAULT-VALUE}).")
    private Duration period = Duration.ofSeconds(4);

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "Time between two samples (default: ${DEFAULT-VALUE}). Rates and trends are those of the last"
                    + " 15 samples.")
    private Duration interval = Duration.ofSeconds(1);

    @Option(
            names = "--isolation",
            paramLabel = "LEVEL",
            defaultValue = UNCOMMITTED,
            description = "Which records count: read_uncommitted, or read_committed without those of open transactions"
                    + " (default: ${DEFAULT-VALUE}).")
    private String isolation = UNCOMMITTED;

    @Option(
            names = "--probe",
            description = "Read one waiting record of each of the 16 partitions with the most lag: its age is then"
                    + " exact. Takes the right to read the topics.")
    private boolean probe;

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "15",
            description = "How many partitions of a group are shown (default: ${DEFAULT-VALUE}). JSON has all.")
    private int top = 15;

    LagCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        if (group == null && !all) {
            throw new ConfigurationException("--group", "not given", "must be, unless --all is", "name a group");
        }
        if (group != null) {
            Rules.named("--group", group);
            if (all) {
                throw new ConfigurationException("--all", "given", "excludes --group", "give one of them");
            }
        }
        Rules.positive("--for", period);
        Rules.positive("--interval", interval);
        Rules.atLeast("--top", top, 1);
        level();
        connection.brokerLimit();
    }

    private IsolationLevel level() {
        return switch (isolation.toLowerCase(Locale.ROOT)) {
            case UNCOMMITTED -> IsolationLevel.READ_UNCOMMITTED;
            case COMMITTED -> IsolationLevel.READ_COMMITTED;
            default ->
                throw new ConfigurationException(
                        "--isolation", isolation, "must be " + UNCOMMITTED + " or " + COMMITTED, "give one of these");
        };
    }

    @Override
    protected int run() throws InterruptedException {
        Map<String, Object> config = new HashMap<>(connection.kafkaConfig(Connection.LOCAL));
        try (Cluster _ = Cluster.connect(config, connection.brokerLimit())) {
            // A broker answers: a later failure has another reason.
        }
        int millis = (int) Math.min(Integer.MAX_VALUE, connection.brokerLimit().toMillis());
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        try (Admin admin = Admin.create(config)) {
            LagOptions options = new LagOptions(level(), connection.brokerLimit());
            return sample(new LagMonitor(admin, options, probe ? consumerProbe(config) : RecordProbe.NONE));
        }
    }

    private RecordProbe consumerProbe(Map<String, Object> config) {
        Map<String, Object> own = new HashMap<>(config);
        own.remove(ConsumerConfig.GROUP_ID_CONFIG);
        own.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
        own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        own.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation.toLowerCase(Locale.ROOT));
        return new ConsumerProbe(
                () -> new KafkaConsumer<>(own, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    private int sample(LagMonitor monitor) throws InterruptedException {
        LagScreen screen = new LagScreen(text(), terminal(), top);
        long start = System.nanoTime();
        List<GroupLag> last = List.of();
        String failure = null;
        int rounds = 0;
        boolean isLast = false;
        while (!isLast) {
            try {
                last = group == null ? monitor.sampleAll() : List.of(monitor.sample(group));
                failure = null;
                rounds++;
            } catch (LagFailure failed) {
                if (!watch) {
                    throw new VerbFailure(String.valueOf(failed.getMessage()), failed);
                }
                failure = failed.getMessage();
            }
            long leftNanos = period.toNanos() - (System.nanoTime() - start);
            isLast = stop().await(Duration.ZERO) || (!watch && leftNanos < interval.toNanos());
            show(screen, last, failure, isLast);
            isLast = isLast || stop().await(interval);
        }
        report(LagJson.of(last, rounds, Duration.ofNanos(System.nanoTime() - start)));
        return failure == null && last.stream().allMatch(GroupLag::isComplete) ? Program.FINE : Program.FAILED;
    }

    private void show(LagScreen screen, List<GroupLag> last, @Nullable String failure, boolean isLast) {
        if (failure != null) {
            screen.failed(failure);
        } else if (isLast) {
            screen.end(last);
        } else {
            screen.show(last, watch);
        }
    }
}
