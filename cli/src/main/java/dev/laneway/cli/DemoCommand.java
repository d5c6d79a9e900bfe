package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.Laneway;
import dev.laneway.Ordering;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.workload.Audit;
import dev.laneway.cli.workload.Cluster;
import dev.laneway.cli.workload.LiveView;
import dev.laneway.cli.workload.Loader;
import dev.laneway.cli.workload.ParallelRun;
import dev.laneway.cli.workload.Progress;
import dev.laneway.cli.workload.Records;
import dev.laneway.dashboard.Dashboard;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.CommonClientConfigs;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows on a real broker what Laneway does, and checks it. */
@Command(
        name = "demo",
        header = "Load a topic, handle it with a bare poll loop and with Laneway, compare and check.",
        description = {
            "Starts a Kafka broker in a JVM of its own, unless --bootstrap names one; loads a topic; runs a bare poll"
                    + " loop on a sample; then runs Laneway over all of it. Each handler waits for --work, as a call to"
                    + " another service would.",
            "",
            "The rate is taken from the first handler's start to the last one's end. Little's law allows"
                    + " min(--concurrency, keys) / --work with --ordering key, the partitions instead of the keys with"
                    + " partition, --concurrency / --work with unordered.",
            "",
            "Every record is checked in its handler: in its turn, not before, not twice. Afterwards the group's"
                    + " committed offsets are read from the broker and compared with the ends of the partitions.",
            "",
            "With --exactly-once, --members processes copy the topic to another one, in transactions; --kills times one"
                    + " of them is killed (kill -9) and another takes its place. Then the copies are read with"
                    + " read_committed: each record's must be there once, and those of a key in their order.",
            "",
            "With --ui the run takes longer, a live page shows it in the browser, and stays after its end until Ctrl-C."
        },
        footer = {
            "",
            "Example: laneway demo --work 10ms --concurrency 1000 --ordering key --zipf 0.5",
            "Example: laneway demo --exactly-once --members 3 --kills 4",
            "",
            "Exit codes: 0 all checks hold, 1 one does not or it was stopped, 2 usage."
        })
final class DemoCommand extends Verb {
    private static final long MOST_RECORDS_BY_DEFAULT = 1_400_000;
    private static final long LEAST_RECORDS_BY_DEFAULT = 1_000;
    private static final double SECONDS_BY_DEFAULT = 14;
    private static final double TIMES_WITH_PAGE = 3;
    private static final long MOST_RECORDS = 1_000_000_000;
    private static final long EXACTLY_ONCE_RECORDS = 300_000;

    @Mixin
    private Connection connection = new Connection();

    @Mixin
    private Records records = new Records();

    @Option(
            names = "--records",
            paramLabel = "N",
            description =
                    "How many records (default: what Little's law allows in 14 s, at most 1400000; with --exactly-once"
                            + " at most 300000).")
    private @Nullable Long count;

    @Option(
            names = "--work",
            paramLabel = "TIME",
            defaultValue = "10ms",
            description = "How long each handler waits (default: ${DEFAULT-VALUE}).")
    private Duration work = Duration.ZERO;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How many handlers run at once (default: ${DEFAULT-VALUE}).")
    private int concurrency;

    @Option(
            names = "--ordering",
            paramLabel = "ORDER",
            defaultValue = "key",
            description = "Which records may not overlap: key, partition or unordered (default: ${DEFAULT-VALUE}).")
    private Ordering ordering = Ordering.KEY;

    @Option(
            names = "--consumers",
            paramLabel = "N",
            defaultValue = "1",
            description = "Members of the group in this process (default: ${DEFAULT-VALUE}).")
    private int consumers;

    @Option(
            names = "--sample",
            paramLabel = "TIME",
            defaultValue = "3s",
            description =
                    "How long the bare poll loop runs (default: ${DEFAULT-VALUE}); there is none with --exactly-once.")
    private Duration sample = Duration.ZERO;

    @Option(
            names = "--exactly-once",
            description = "Copy to another topic in transactions while members are killed, and check the copies.")
    private boolean exactlyOnce;

    @Option(
            names = "--members",
            paramLabel = "N",
            description = "Processes that share the work, with --exactly-once (default: 3).")
    private @Nullable Integer members;

    @Option(
            names = "--kills",
            paramLabel = "N",
            description = "How many of them are killed, with --exactly-once (default: 4).")
    private @Nullable Integer kills;

    @Option(
            names = "--keep",
            description =
                    "Keep the topics and the group on the cluster of --bootstrap; without it they are deleted at the"
                            + " end.")
    private boolean keep;

    @Option(names = "--ui", description = "Show the run on a live page in the browser.")
    private boolean ui;

    private volatile @Nullable Dashboard page;

    DemoCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        records.check();
        connection.brokerLimit();
        Rules.between("--concurrency", concurrency, 1, 1_000_000);
        Rules.between("--consumers", consumers, 1, concurrency);
        Rules.positive("--sample", sample);
        if (count != null) {
            Rules.between("--records", count, 1, MOST_RECORDS);
        }
        if (ui && exactlyOnce) {
            throw new ConfigurationException(
                    "--ui", "given", "shows the consumer of this process", "leave it out with --exactly-once");
        }
        checkMembers("--members", members, 1, 16);
        checkMembers("--kills", kills, 0, 100);
    }

    private void checkMembers(String option, @Nullable Integer value, int least, int most) {
        if (value == null) {
            return;
        }
        Rules.between(option, value, least, most);
        if (!exactlyOnce) {
            throw new ConfigurationException(
                    option, value, "is for members that are processes", "give --exactly-once too, or leave it out");
        }
    }

    @Override
    protected int run() throws InterruptedException {
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
        String topic = "laneway-demo-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        String copies = topic + "-copies";
        try (Cluster cluster = Cluster.connect(config, connection.brokerLimit())) {
            int partitions = cluster.ensureTopic(topic, records.partitions());
            try {
                if (exactlyOnce) {
                    return copy(config, cluster, setup(topic, partitions), copies, guard);
                }
                @Nullable DemoResult result = measure(config, cluster, setup(topic, partitions), partitions, guard);
                if (result == null) {
                    text().println("Stopped before the end; nothing was compared");
                    return Program.FAILED;
                }
                result.print(text());
                report(result.toJson());
                keepPage();
                return result.isFine() ? Program.FINE : Program.FAILED;
            } finally {
                Dashboard shown = page;
                if (shown != null) {
                    shown.close();
                }
                if (connection.isGiven() && !keep) {
                    cluster.deleteQuietly(exactlyOnce ? List.of(topic, copies) : List.of(topic), List.of(topic));
                }
            }
        }
    }

    private void show(Laneway running) {
        if (ui) {
            Dashboard started = Dashboard.of(running).name("Laneway demo").start();
            page = started;
            if (!terminal().live()) { // A picture is being drawn there, and has it in its title.
                text().println("Open " + started.uri());
                text().flush();
            }
        }
    }

    private void keepPage() throws InterruptedException {
        Dashboard shown = page;
        if (shown != null) {
            text().println("The page at " + shown.uri() + " stays until Ctrl-C");
            text().flush();
            while (!stop().await(Duration.ofHours(1))) {
                // Until a signal.
            }
        }
    }

    private int copy(
            Map<String, Object> config, Cluster cluster, ParallelRun.Setup run, String copies, ParallelRun.Guard guard)
            throws InterruptedException {
        int partitions = cluster.ensureTopic(copies, records.partitions());
        ExactlyOnceDemo.Setup setup = new ExactlyOnceDemo.Setup(
                run, copies, records.keys(), partitions, members == null ? 3 : members, kills == null ? 4 : kills);
        Loader.Result loaded = load(config, run);
        ExactlyOnceDemo demo = new ExactlyOnceDemo(config, cluster, setup);
        Optional<ExactlyOnceDemo.Result> result = Optional.empty();
        if (!stop().isRequested()) {
            String title = "Laneway, exactly once, " + setup.members() + " processes, of which " + setup.kills()
                    + " are killed";
            try (LiveView _ = LiveView.open(text(), terminal(), title, demo::progress)) {
                result = demo.run(stop(), guard);
            }
        }
        if (result.isEmpty()) {
            text().println("Stopped before the end; nothing was compared");
            return Program.FAILED;
        }
        ExactlyOnceResult found = new ExactlyOnceResult(setup, records.skew(), loaded, result.get());
        found.print(text());
        report(found.toJson());
        return found.isFine() ? Program.FINE : Program.FAILED;
    }

    private ParallelRun.Setup setup(String topic, int partitions) {
        ParallelRun.Setup setup = new ParallelRun.Setup(topic, topic, 0, ordering, concurrency, consumers, work);
        double rate = setup.littleRate(records.keys(), partitions);
        if (ordering == Ordering.KEY) {
            // A key handles one record at a time.
            double hottest = records.plan(topic, 0, 0).picker().hottestShare();
            rate = Math.min(rate, 1 / (hottest * work.toNanos() / 1e9));
        }
        long most = exactlyOnce ? EXACTLY_ONCE_RECORDS : MOST_RECORDS_BY_DEFAULT;
        double times = ui ? TIMES_WITH_PAGE : 1;
        long sized =
                (long) Math.min(most * times, Math.max(LEAST_RECORDS_BY_DEFAULT, rate * SECONDS_BY_DEFAULT * times));
        return new ParallelRun.Setup(
                topic, topic, count == null ? sized : count, ordering, concurrency, consumers, work);
    }

    /**
     * Returns null if it was stopped before its end, since half a run proves nothing about order, losses or commits.
     */
    private @Nullable DemoResult measure(
            Map<String, Object> config,
            Cluster cluster,
            ParallelRun.Setup setup,
            int partitions,
            ParallelRun.Guard guard)
            throws InterruptedException {
        Loader.Result loaded = load(config, setup);
        BareLoop.Result bare = stop().isRequested() ? null : loopBarely(config, setup);
        if (bare == null || stop().isRequested()) {
            return null;
        }
        Audit audit = new Audit(ordering, setup.records(), records.keys(), partitions);
        ParallelRun run = new ParallelRun(config, setup, audit, this::show);
        ParallelRun.Result parallel;
        try (LiveView _ = LiveView.open(text(), terminal(), this::title, run::progress)) {
            parallel = run.run(stop(), guard);
        }
        if (stop().isRequested() && parallel.records() < setup.records()) {
            return null;
        }
        boolean committed = cluster.isAllCommitted(setup.group(), setup.topic(), partitions);
        return new DemoResult(
                setup, records.keys(), partitions, records.skew(), loaded, bare, parallel, audit, committed);
    }

    private Loader.Result load(Map<String, Object> config, ParallelRun.Setup setup) {
        Loader loader = new Loader(config, records.plan(setup.topic(), setup.records(), 0));
        String title = "Loading " + Text.count(setup.records()) + " records of " + Text.count(records.keys()) + " keys";
        try (LiveView _ =
                LiveView.open(text(), terminal(), title, () -> Progress.of(loader.acknowledged(), setup.records()))) {
            return loader.run(stop()::isRequested);
        }
    }

    private BareLoop.Result loopBarely(Map<String, Object> config, ParallelRun.Setup setup)
            throws InterruptedException {
        text().println("A bare poll loop, for " + Text.duration(sample));
        BareLoop.Result bare =
                new BareLoop(config, setup.topic(), work).run(setup.records(), sample, stop()::isRequested);
        text().println("  " + Text.count(bare.records()) + " records, " + Text.rate(bare.rate()) + " records/s");
        return bare;
    }

    private String title() {
        Dashboard shown = page;
        return (shown == null ? "" : shown.uri() + " ") + "Laneway, " + DemoResult.name(ordering) + " order, "
                + Text.count(concurrency) + " at once, " + Text.duration(work) + " of work each";
    }
}
