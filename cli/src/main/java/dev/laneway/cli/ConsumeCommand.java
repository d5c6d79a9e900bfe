package dev.laneway.cli;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.Ordering;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Parent;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.LiveView;
import dev.laneway.cli.workload.Simulated;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the engine over any topic. */
@Command(
        name = "consume",
        header = "Run Laneway over a topic with a simulated handler, until Ctrl-C.",
        description = {
            "Each handler waits for --work and fails for a share of --fail-rate of the attempts; which ones is a hash"
                + " of partition, offset and attempt, so another run fails the same. A group without commits starts at"
                + " the earliest offset, unless --property auto.offset.reset says otherwise.",
            "",
            "With --to, each record is copied to a topic, with the headers laneway.source.topic, .partition, .offset,"
                    + " .attempt and .member. The topics of --to and --dead-letter are created when they are missing.",
            "",
            "SIGTERM and Ctrl-C close it cleanly: what is in flight ends, up to --close-limit, and is committed."
        },
        footer = {
            "",
            "Example: laneway consume --topic orders --group try --concurrency 1000 --work 10ms --fail-rate 0.01"
                    + " --retries 3 --dead-letter orders.dlq",
            "",
            "Exit codes: 0 closed cleanly (a signal included), 1 failed, 2 usage."
        })
final class ConsumeCommand extends Verb {
    private static final int ATTEMPTS_BEFORE_DEAD_LETTER = 3;

    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--topic",
            paramLabel = "TOPIC",
            split = ",",
            required = true,
            description = "What to consume; several topics with commas between them.")
    private List<String> topics = new ArrayList<>();

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            description = "The consumer group (default: group.id of the properties, else laneway-consume).")
    private @Nullable String group;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "The name in threads, logs and headers (default: laneway- and the process id).")
    private @Nullable String name;

    @Option(
            names = "--ordering",
            paramLabel = "ORDER",
            defaultValue = "key",
            description = "Which records may not overlap: key, partition or unordered (default: ${DEFAULT-VALUE}).")
    private Ordering ordering = Ordering.KEY;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "256",
            description = "How many handlers run at once (default: ${DEFAULT-VALUE}).")
    private int concurrency;

    @Option(
            names = "--consumers",
            paramLabel = "N",
            defaultValue = "1",
            description = "Members of the group in this process (default: ${DEFAULT-VALUE}).")
    private int consumers;

    @Option(
            names = "--work",
            paramLabel = "TIME",
            defaultValue = "0",
            description = "How long each handler waits (default: ${DEFAULT-VALUE}).")
    private Duration work = Duration.ZERO;

    @Option(
            names = "--fail-rate",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "The share of attempts that fail, 0 to 1 (default: ${DEFAULT-VALUE}).")
    private double failRate;

    @Option(
            names = "--retries",
            paramLabel = "N",
            description =
                    "Attempts after the first; then the record goes to --dead-letter or, without one, the verb fails"
                            + " (default: 2 with --dead-letter, for ever without).")
    private @Nullable Integer retries;

    @Option(
            names = "--backoff",
            paramLabel = "TIME",
            defaultValue = "100ms",
            description = "The wait before the first retry; it doubles up to 30 s (default: ${DEFAULT-VALUE}).")
    private Duration backoff = Duration.ZERO;

    @Option(names = "--dead-letter", paramLabel = "TOPIC", description = "Where records go whose last attempt failed.")
    private @Nullable String deadLetter;

    @Option(names = "--to", paramLabel = "TOPIC", description = "Copy each record to this topic.")
    private @Nullable String to;

    @Option(
            names = "--commit",
            paramLabel = "MODE",
            defaultValue = "async",
            description =
                    "How progress is committed: async or sync at an interval, or ahead of the processing, which is"
                            + " at-most-once (default: ${DEFAULT-VALUE}).")
    private Consumption.Commit commit = Consumption.Commit.ASYNC;

    @Option(
            names = "--commit-interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "How often async and sync commit (default: ${DEFAULT-VALUE}).")
    private Duration commitInterval = Duration.ZERO;

    @Option(
            names = "--exactly-once",
            paramLabel = "ID",
            description =
                    "Instead of --commit: write copies, dead letters and progress in transactions of this name, which"
                            + " no other process may use at the same time.")
    private @Nullable String exactlyOnce;

    @Option(
            names = "--close-limit",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long the close waits for what is in flight (default: ${DEFAULT-VALUE}).")
    private Duration closeLimit = Duration.ZERO;

    @Option(
            names = "--max-records",
            paramLabel = "N",
            description = "End when at least so many records are done; what is in flight then is finished too.")
    private @Nullable Long maxRecords;

    @Option(
            names = "--idle-exit",
            paramLabel = "TIME",
            description =
                    "End when each partition has an owner in the group, all records of those here are done, and for"
                            + " this long nothing came.")
    private @Nullable Duration idleExit;

    @Option(
            names = "--every",
            paramLabel = "TIME",
            defaultValue = "3s",
            description = "How often a status line is printed (default: ${DEFAULT-VALUE}).")
    private Duration every = Duration.ZERO;

    @Option(names = "--until-input-ends", hidden = true, description = "End with standard input, too.")
    private boolean untilInputEnds;

    ConsumeCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        topics.forEach(topic -> Rules.named("--topic", topic));
        connection.brokerLimit();
        Rules.between("--concurrency", concurrency, 1, 1_000_000);
        Rules.between("--consumers", consumers, 1, concurrency);
        Rules.share("--fail-rate", failRate);
        if (retries != null) {
            Rules.between("--retries", retries, 0, Integer.MAX_VALUE - 1);
        }
        Rules.between("--backoff", backoff.toMillis(), 0, Consumption.LONGEST_BACKOFF.toMillis());
        Rules.positive("--commit-interval", commitInterval);
        if (exactlyOnce != null) {
            Rules.named("--exactly-once", exactlyOnce);
        }
        Rules.positive("--every", every);
        if (maxRecords != null) {
            Rules.atLeast("--max-records", maxRecords, 1);
        }
        if (idleExit != null) {
            Rules.positive("--idle-exit", idleExit);
        }
        checkNotItsOwnInput("--to", to);
        checkNotItsOwnInput("--dead-letter", deadLetter);
    }

    private void checkNotItsOwnInput(String option, @Nullable String topic) {
        if (topic == null) {
            return;
        }
        Rules.named(option, topic);
        if (topics.contains(topic)) {
            throw new ConfigurationException(
                    option, topic, "must not be a topic that is consumed, or it never ends", "give another topic");
        }
    }

    @Override
    protected int run() throws InterruptedException {
        Map<String, Object> config = connection.kafkaConfig(Connection.LOCAL);
        config.putIfAbsent(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.putIfAbsent(ConsumerConfig.GROUP_ID_CONFIG, "laneway-consume");
        if (group != null) {
            config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        }
        if (failRate > 0) {
            Simulated.logNoFailures();
        }
        if (untilInputEnds) {
            Thread.ofPlatform().name("laneway-parent").daemon().start(() -> {
                Parent.awaitEnd(System.in);
                stop().request();
            });
        }
        ConsumeResult result;
        try (Cluster cluster = Cluster.connect(config, connection.brokerLimit())) {
            prepareTopics(cluster);
            stop().limit(closeLimit.plusSeconds(20));
            Consumption consumption = new Consumption(config, setup());
            try (LiveView _ = LiveView.lines(text(), "consume", every, consumption::progress)) {
                result = consumption.run(stop(), cluster);
            }
        }
        result.print(text());
        report(result.toJson());
        if (result.failure() != null) {
            throw new VerbFailure(String.valueOf(result.failure().getMessage()), result.failure());
        }
        return Program.FINE;
    }

    /** Fails at once if a topic is missing; a consumer would wait for it. */
    private void prepareTopics(Cluster cluster) {
        int most = 1;
        for (String topic : topics) {
            OptionalInt partitions = cluster.partitions(topic);
            if (partitions.isEmpty()) {
                throw new VerbFailure("--topic " + topic
                        + " does not exist; create it, or fill it with: laneway load --topic " + topic);
            }
            most = Math.max(most, partitions.getAsInt());
        }
        if (to != null) {
            cluster.ensureTopic(to, most);
        }
        if (deadLetter != null) {
            cluster.ensureTopic(deadLetter, most);
        }
    }

    private Consumption.Setup setup() {
        int attempts = retries != null
                ? retries + 1
                : deadLetter != null ? ATTEMPTS_BEFORE_DEAD_LETTER : Consumption.Setup.FOR_EVER;
        return new Consumption.Setup(
                topics,
                name == null ? "laneway-" + ProcessHandle.current().pid() : name,
                ordering,
                concurrency,
                consumers,
                work,
                failRate,
                attempts,
                backoff,
                deadLetter,
                to,
                exactlyOnce == null ? commit.mode(commitInterval) : CommitMode.exactlyOnce(exactlyOnce),
                closeLimit,
                maxRecords,
                idleExit);
    }
}
