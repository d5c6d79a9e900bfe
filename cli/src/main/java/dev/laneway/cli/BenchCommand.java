package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.CommonClientConfigs;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures Laneway against a bare poll loop and against what is to be reached. */
@Command(
        name = "bench",
        header = "Measure Laneway against a bare poll loop, in one run.",
        description = {
            "Starts a Kafka broker in a JVM of its own, unless --bootstrap names one, and loads the topics that are"
                    + " needed. Then each measurement is repeated: first some rounds of warm-up, then those that count."
                    + " The table shows their median, least and most. docs/benchmarks.md tells how each figure is"
                    + " taken.",
            "",
            "p1: a no-op handler, as a share of a bare poll loop in the same round. p2: a no-op handler and one hot"
                    + " key. p3: handlers that wait for 10 ms, as a share of Little's law. p4: 10,000 such handlers at"
                    + " once. p6: the engine's own CPU time and allocation for a record, without a broker.",
            "",
            "Figures of a machine that does other work too mean little. All of it takes about ten minutes."
        },
        footer = {
            "",
            "Example: laneway bench --only p1,p6 --json bench.json",
            "",
            "Exit codes: 0 measured, whatever was reached, 1 failed or stopped before the end, 2 usage."
        })
final class BenchCommand extends Verb {
    private static final int MOST_ROUNDS = 1_000;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private Connection connection = new Connection();

    @Option(
            names = "--only",
            paramLabel = "PART",
            split = ",",
            description = "What to measure: p1, p2, p3, p4, p6, with commas between them (default: all).")
    private Set<BenchPart> only = new TreeSet<>();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Measured rounds of everything (default: each measurement's own, 3 to 7).")
    private @Nullable Integer rounds;

    @Option(
            names = "--scale",
            paramLabel = "SHARE",
            defaultValue = "1",
            description = "The share of the usual records (default: ${DEFAULT-VALUE}).")
    private double scale;

    @Option(
            names = "--quick",
            description = "One round of warm-up, two that count, a tenth of the records: for a first look, and to try"
                    + " a change.")
    private boolean quick;

    BenchCommand(Streams streams) {
        super(streams);
    }

    @Override
    void check() {
        if (rounds != null) {
            Rules.between("--rounds", rounds, 1, MOST_ROUNDS);
        }
        if (!(scale > 0 && scale <= 100)) {
            throw new ConfigurationException(
                    "--scale", scale, "must be above 0, at most 100", "0.1 is a tenth of the usual records");
        }
        connection.brokerLimit();
    }

    @Override
    int run() throws InterruptedException {
        BenchPlan plan = new BenchPlan(only, scale, rounds, quick);
        BenchMachine machine = BenchMachine.here();
        if (!machine.isQuiet()) {
            errors().println("This machine is not quiet (load average " + Text.rate(machine.loadAverage()) + " on "
                    + machine.cores() + " cores): the figures will mean little");
        }
        BenchReport report = new BenchReport(command(), machine, plan, figures(plan));
        report.print(text());
        report(report.toJson());
        return Main.FINE;
    }

    private String command() {
        return "./laneway "
                + String.join(" ", spec.commandLine().getParseResult().originalArgs());
    }

    private List<BenchFigure> figures(BenchPlan plan) throws InterruptedException {
        if (plan.topics().isEmpty()) {
            return figures(plan, null, () -> {});
        }
        if (connection.isGiven()) {
            return onCluster(plan, connection.kafkaConfig(null), () -> {}, true);
        }
        errors().println("Starting a Kafka broker");
        try (BrokerProcess broker = BrokerProcess.start()) {
            Map<String, Object> config = connection.kafkaConfig(null);
            config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
            return onCluster(plan, config, broker::check, false);
        }
    }

    private List<BenchFigure> onCluster(
            BenchPlan plan, Map<String, Object> config, ParallelRun.Guard guard, boolean tidy)
            throws InterruptedException {
        try (Cluster cluster = Cluster.connect(config, connection.brokerLimit())) {
            BenchBed bed = new BenchBed(config, cluster, stop(), guard);
            try {
                return figures(plan, bed, guard);
            } finally {
                if (tidy) {
                    bed.deleteAll();
                }
            }
        }
    }

    private List<BenchFigure> figures(BenchPlan plan, @Nullable BenchBed bed, ParallelRun.Guard guard)
            throws InterruptedException {
        BenchCatalogue catalogue = new BenchCatalogue(plan);
        List<BenchSeries> all = new ArrayList<>();
        List<BenchTopic> topics = plan.topics();
        if (bed != null) {
            all.addAll(catalogue.on(bed));
        }
        if (plan.has(BenchPart.P6)) {
            all.add(catalogue.cost(new BenchRun(stop(), guard)));
        }
        double seconds = topics.stream()
                        .mapToDouble(topic -> topic.loadSeconds(plan.scale()))
                        .sum()
                + all.stream().mapToDouble(BenchSeries::seconds).sum();
        BenchPace pace = new BenchPace(errors(), seconds, System::nanoTime);
        if (bed != null) {
            for (BenchTopic topic : topics) {
                pace.next("loading " + topic.label(), topic.loadSeconds(plan.scale()));
                bed.load(topic, plan.scale());
            }
        }
        List<BenchFigure> figures = new ArrayList<>();
        for (BenchSeries series : all) {
            figures.addAll(take(series, pace));
        }
        return figures;
    }

    private List<BenchFigure> take(BenchSeries series, BenchPace pace) throws InterruptedException {
        List<double[]> taken = new ArrayList<>();
        for (int round = 0; round < series.rounds(); round++) {
            pace.next(series.title(round), series.roundSeconds());
            double[] values = series.taking().round();
            text().println(series.title(round) + ": " + series.line(values));
            taken.add(values);
        }
        return series.figures(taken);
    }
}
