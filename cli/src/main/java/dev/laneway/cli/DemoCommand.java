package dev.laneway.cli;

import dev.laneway.Ordering;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
                    + " committed offsets are read from the broker and compared with the ends of the partitions."
        },
        footer = {
            "",
            "Example: laneway demo --work 10ms --concurrency 1000 --ordering key --zipf 0.5",
            "",
            "Exit codes: 0 all checks hold, 1 one does not or it was stopped, 2 usage."
        })
final class DemoCommand extends Verb {
    private static final long MOST_RECORDS_BY_DEFAULT = 1_400_000;
    private static final long LEAST_RECORDS_BY_DEFAULT = 1_000;
    private static final double SECONDS_BY_DEFAULT = 14;
    private static final long MOST_RECORDS = 1_000_000_000;

    @Mixin
    private Connection connection = new Connection();

    @Mixin
    private Records records = new Records();

    @Option(
            names = "--records",
            paramLabel = "N",
            description = "How many records (default: what Little's law allows in 14 s, at most 1400000).")
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
            description = "How long the bare poll loop runs (default: ${DEFAULT-VALUE}).")
    private Duration sample = Duration.ZERO;

    @Option(
            names = "--keep",
            description =
                    "Keep the topic and the group on the cluster of --bootstrap; without it they are deleted at the"
                            + " end.")
    private boolean keep;

    DemoCommand(Streams streams) {
        super(streams);
    }

    @Override
    void check() {
        records.check();
        connection.brokerLimit();
        Rules.between("--concurrency", concurrency, 1, 1_000_000);
        Rules.between("--consumers", consumers, 1, concurrency);
        Rules.positive("--sample", sample);
        if (count != null) {
            Rules.between("--records", count, 1, MOST_RECORDS);
        }
    }

    @Override
    int run() throws InterruptedException {
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
        try (Cluster cluster = Cluster.connect(config, connection.brokerLimit())) {
            int partitions = cluster.ensureTopic(topic, records.partitions());
            try {
                @Nullable DemoResult result = measure(config, cluster, setup(topic, partitions), partitions, guard);
                if (result == null) {
                    text().println("Stopped before the end; nothing was compared");
                    return Main.FAILED;
                }
                result.print(text());
                report(result.toJson());
                return result.isFine() ? Main.FINE : Main.FAILED;
            } finally {
                if (connection.isGiven() && !keep) {
                    cluster.deleteQuietly(List.of(topic), List.of(topic));
                }
            }
        }
    }

    private ParallelRun.Setup setup(String topic, int partitions) {
        ParallelRun.Setup setup = new ParallelRun.Setup(topic, topic, 0, ordering, concurrency, consumers, work);
        double rate = setup.littleRate(records.keys(), partitions);
        if (ordering == Ordering.KEY) {
            // No key is faster than one record after the other.
            double hottest = records.plan(topic, 0, 0).picker().hottestShare();
            rate = Math.min(rate, 1 / (hottest * work.toNanos() / 1e9));
        }
        long sized =
                (long) Math.min(MOST_RECORDS_BY_DEFAULT, Math.max(LEAST_RECORDS_BY_DEFAULT, rate * SECONDS_BY_DEFAULT));
        return new ParallelRun.Setup(
                topic, topic, count == null ? sized : count, ordering, concurrency, consumers, work);
    }

    /** Returns null when it was stopped before its end: half a run says nothing about order, losses or commits. */
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
        ParallelRun run = new ParallelRun(config, setup, audit);
        ParallelRun.Result parallel;
        try (LiveView _ = LiveView.open(text(), terminal(), title(), run::progress)) {
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
        return "Laneway, " + DemoResult.name(ordering) + " order, " + Text.count(concurrency) + " at once, "
                + Text.duration(work) + " of work each";
    }
}
