package dev.laneway.cli.size;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.Records;
import dev.laneway.ops.size.SearchStep;
import dev.laneway.ops.size.SizeProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures what an instance of an application sustains, and what a second one adds. */
@Command(
        name = "size",
        header = "Measure how much an instance of your application sustains, and how many you need.",
        description = {
            "Starts the command behind -- as an instance, raises the load until the group's lag grows by 1 % of it,"
                + " asks check what limits it, and does the same with one instance more. What it writes is what plan"
                + " and simulate read by --from-run. In the command, {bootstrap} stands for the brokers and {instance}"
                + " for the instance's number.",
            "",
            "Without --bootstrap it starts a broker of its own; all then share this machine's processors, and it says"
                    + " where these are the limit. Give it a machine that does nothing else, and a cluster and a topic"
                    + " that nothing else uses: the load is real."
        },
        footer = {
            "",
            "Example: laneway size --group shop --topic orders -- laneway consume --bootstrap {bootstrap} --group shop"
                    + " --topic orders --work 10ms --concurrency 16",
            "",
            "Exit codes: 0 sized, or --verify came within 10 %; 1 not, or stopped; 2 usage."
        })
public final class SizeCommand extends Verb {
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final String BOOTSTRAP = "{bootstrap}";

    @Mixin
    private Connection connection = new Connection();

    @Mixin
    private Records records = new Records();

    @Option(names = "--group", paramLabel = "GROUP", required = true, description = "The group that instances join.")
    private String group = "";

    @Option(
            names = "--topic",
            paramLabel = "TOPIC",
            split = ",",
            required = true,
            description = "Where the load goes; with --generator there may be several, with commas between them. Topics"
                    + " of a broker of its own are made.")
    private List<String> topics = new ArrayList<>();

    @Option(
            names = "--generator",
            paramLabel = "COMMAND",
            description =
                    "A shell command that makes the load, instead of records like those of load: {rate} stands for"
                            + " records a second. It is ended and started again for each rate.")
    private @Nullable String generator;

    @Option(
            names = "--instances",
            paramLabel = "N",
            defaultValue = "1",
            description = "The smallest number of instances, which is measured first (default: ${DEFAULT-VALUE}). With"
                    + " standby replicas take one more than there are standbys.")
    private int instances = 1;

    @Option(
            names = "--start-rate",
            paramLabel = "N",
            defaultValue = "200",
            description = "Records a second to begin with (default: ${DEFAULT-VALUE}).")
    private double startRate = 200;

    @Option(
            names = "--most-rate",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Records a second that are never exceeded (default: ${DEFAULT-VALUE}).")
    private double mostRate = 1_000_000;

    @Option(
            names = "--window",
            paramLabel = "TIME",
            defaultValue = "10s",
            description =
                    "How long a rate is measured (default: ${DEFAULT-VALUE}); twice as long where it is not clear,"
                            + " and as long as it takes to see four commits.")
    private Duration window = Duration.ofSeconds(10);

    @Option(
            names = "--warm-up",
            paramLabel = "TIME",
            defaultValue = "4s",
            description = "How long a rate runs before it is measured (default: ${DEFAULT-VALUE}).")
    private Duration warmUp = Duration.ofSeconds(4);

    @Option(
            names = "--join-limit",
            paramLabel = "TIME",
            defaultValue = "1m",
            description = "How long an instance may take to join the group, and the group may stand still (default:"
                    + " ${DEFAULT-VALUE}).")
    private Duration joinLimit = Duration.ofMinutes(1);

    @Option(
            names = "--profile",
            paramLabel = "FILE",
            defaultValue = "laneway-size.json",
            description = "What was measured, for plan and simulate (default: ${DEFAULT-VALUE}).")
    private Path profile = Path.of("laneway-size.json");

    @Option(
            names = "--verify",
            paramLabel = "FILE",
            description = "Write no profile, but measure one instance more than the smallest number of this one, and"
                    + " compare it with what plan says of it.")
    private @Nullable Path verify;

    @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "Behind --: the command that starts an instance.")
    private List<String> command = new ArrayList<>();

    private final OwnBroker.Starter brokers;

    /**
     * Makes the verb.
     *
     * @param brokers starts the broker if the user names none
     */
    public SizeCommand(Streams streams, OwnBroker.Starter brokers) {
        super(streams);
        this.brokers = brokers;
    }

    @Override
    protected void check() {
        records.check();
        connection.brokerLimit();
        Rules.named("--group", group);
        topics.forEach(topic -> Rules.named("--topic", topic));
        Rules.between("--instances", instances, 1, 100);
        Rules.positive("--start-rate", startRate);
        Rules.positive("--most-rate", mostRate);
        Rules.atMost("--start-rate", startRate, mostRate);
        for (Map.Entry<String, Duration> each : Map.of(
                        "--window", window, "--warm-up", warmUp, "--join-limit", joinLimit)
                .entrySet()) {
            Rules.positive(each.getKey(), each.getValue());
            if (each.getValue().compareTo(LONGEST) > 0) {
                throw new ConfigurationException(
                        each.getKey(), Text.duration(each.getValue()), "must be at most an hour", "lower it");
            }
        }
        Rules.writable("--profile", verify == null ? profile : null);
        if (generator == null && topics.size() > 1) {
            throw new ConfigurationException(
                    "--topic",
                    String.join(",", topics),
                    "may be several only with --generator",
                    "give the one that the load shall go to");
        }
        if (generator != null && !generator.contains("{rate}")) {
            throw new ConfigurationException(
                    "--generator", generator, "must contain {rate}", "put it where the command takes records a second");
        }
        boolean isToldBroker = command.stream().anyMatch(word -> word.contains(BOOTSTRAP));
        if (!connection.isGiven() && !isToldBroker) {
            throw new ConfigurationException(
                    "COMMAND",
                    String.join(" ", command),
                    "must contain {bootstrap} where no --bootstrap is given",
                    "put it where the application takes its brokers, or give --bootstrap");
        }
    }

    @Override
    protected int run() throws InterruptedException {
        if (connection.isGiven()) {
            return run(connection.kafkaConfig(null), () -> {});
        }
        text().println("Starting a Kafka broker");
        text().flush();
        try (OwnBroker broker = brokers.start()) {
            Map<String, Object> config = connection.kafkaConfig(null);
            config.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
            return run(config, broker::check);
        }
    }

    private int run(Map<String, Object> config, Runnable brokerCheck) throws InterruptedException {
        SizeProfile former = verify == null
                ? null
                : ProfileFile.read(verify)
                        .orElseThrow(() -> new VerbFailure(
                                "--verify " + verify + " is no profile: give a file that size has written"));
        SizeSetup setup = setup(config, former == null ? instances : former.least());
        Map<String, Object> limited = new HashMap<>(config);
        int millis = (int) Math.min(Integer.MAX_VALUE, connection.brokerLimit().toMillis());
        limited.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis);
        limited.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis);
        SizeProgress progress = new SizeProgress(text(), errors(), terminal());
        Admin admin = Admin.create(limited);
        refuseRunning(admin, setup);
        try (SizeRun run = new SizeRun(setup, admin, stop(), brokerCheck, progress)) {
            return former == null ? size(run, progress, setup) : verify(run, progress, setup, former);
        } finally {
            progress.end();
            text().println("Output of the processes, and what was seen: " + setup.directory());
            admin.close(Duration.ZERO);
        }
    }

    private void refuseRunning(Admin admin, SizeSetup setup) {
        int members = new GroupReader(admin, setup)
                .look()
                .map(GroupReader.View::members)
                .orElse(0);
        if (members > 0) {
            admin.close(Duration.ZERO);
            throw new VerbFailure("group " + group + " has " + (members == 1 ? "a member" : members + " members")
                    + " already: size starts the instances itself; stop what runs, or give another --group");
        }
    }

    private int size(SizeRun run, SizeProgress progress, SizeSetup setup) throws InterruptedException {
        progress.say("Sizing group " + group + ": " + setup.partitions() + " partitions, " + instances + " and then "
                + (instances + 1) + " instances");
        SizeResult result = run.size();
        ProfileFile.write(profile, result.profile());
        progress.end();
        text().println();
        SizeText.lines(result, terminal().width()).forEach(text()::println);
        text().println();
        progress.say("Wrote " + profile + ". Try: laneway plan --rate "
                + Math.round(10 * result.profile().instance().rate()) + " --from-run " + profile);
        report(SizeText.json(result));
        return Program.FINE;
    }

    private int verify(SizeRun run, SizeProgress progress, SizeSetup setup, SizeProfile former)
            throws InterruptedException {
        int count = former.least() + 1;
        double predicted = former.instance().groupRate(setup.partitions(), count);
        progress.say("Measuring group " + group + " with " + count + " instances");
        SearchStep.Found found = run.verify(predicted);
        progress.say(SizeText.verified(count, predicted, found));
        report(SizeText.verifiedJson(count, predicted, found));
        return SizeText.isNear(predicted, found.rate()) ? Program.FINE : Program.FAILED;
    }

    private SizeSetup setup(Map<String, Object> config, int least) {
        int partitions = 0;
        try (Cluster cluster = Cluster.connect(config, connection.brokerLimit())) {
            for (String topic : topics) {
                partitions += partitions(cluster, topic);
            }
        }
        if (partitions <= least) {
            throw new VerbFailure(String.join(", ", topics) + " has " + partitions + " partitions for " + (least + 1)
                    + " instances, of which one would have nothing to do: give the topic more partitions");
        }
        try {
            return new SizeSetup(
                    config,
                    group,
                    topics,
                    command,
                    generator,
                    records.plan(topics.getFirst(), 0, 0),
                    partitions,
                    least,
                    startRate,
                    mostRate,
                    warmUp,
                    window,
                    joinLimit,
                    connection.brokerLimit(),
                    Files.createTempDirectory("laneway-size-"));
        } catch (IOException failed) {
            throw new VerbFailure("cannot make a temporary directory: " + failed.getMessage(), failed);
        }
    }

    private int partitions(Cluster cluster, String topic) {
        if (!connection.isGiven()) {
            return cluster.ensureTopic(topic, records.partitions());
        }
        OptionalInt found = cluster.partitions(topic);
        if (found.isEmpty()) {
            throw new VerbFailure("--topic " + topic + " does not exist: create it with as many partitions as it has in"
                    + " production, or leave --bootstrap out");
        }
        return found.getAsInt();
    }
}
