package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.size.ProfileFile;
import dev.laneway.ops.plan.Mode;
import dev.laneway.ops.simulate.Assignor;
import dev.laneway.ops.simulate.Controller;
import dev.laneway.ops.simulate.Group;
import dev.laneway.ops.simulate.Keys;
import dev.laneway.ops.simulate.Scenario;
import dev.laneway.ops.simulate.ServiceTime;
import dev.laneway.ops.simulate.Simulation;
import dev.laneway.ops.simulate.SimulationResult;
import dev.laneway.ops.simulate.Span;
import dev.laneway.ops.size.SizeProfile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Simulates a group under a load. */
@Command(
        name = "simulate",
        header = "Simulate a group under a load: its lag, its latency, and what changes and troubles do.",
        description = {
            "Simulates each record: partitions, members, workers, keys that are busy, the reserve. The same seed gives"
                    + " the same result. Connects to nothing. docs/plan.md explains each figure."
        },
        footer = {
            "",
            "Example: laneway simulate --rate 5000 --service 10ms --scale-at 5m=3",
            "",
            "Exit codes: 0 simulated, whatever came of it; 1 failed; 2 usage."
        })
final class SimulateCommand extends Verb {
    private static final double NANOS = 1e9;

    /** How the times of records are spread. */
    enum Times {
        FIXED,
        EXPONENTIAL,
        LOGNORMAL
    }

    @Mixin
    private TrafficOptions traffic = new TrafficOptions();

    @Mixin
    private TroubleOptions trouble = new TroubleOptions();

    @Option(
            names = "--service",
            paramLabel = "TIME",
            defaultValue = "10ms",
            description = "How long the handler takes for a record, on average (default: ${DEFAULT-VALUE}).")
    private Duration service = Duration.ofMillis(10);

    @Option(
            names = "--from-run",
            paramLabel = "FILE",
            description =
                    "Take the time of a record and the concurrency from this profile of size, in place of --service"
                            + " and --concurrency.")
    private @Nullable Path fromRun;

    @Option(
            names = "--times",
            paramLabel = "FORM",
            defaultValue = "exponential",
            description = "How these times are spread: fixed, exponential, or lognormal (with --p99) (default:"
                    + " ${DEFAULT-VALUE}).")
    private Times times = Times.EXPONENTIAL;

    @Option(names = "--p99", paramLabel = "TIME", description = "The time that one record in a hundred exceeds.")
    private @Nullable Duration p99;

    @Option(
            names = "--percentile",
            paramLabel = "P=TIME",
            description = "A measured time in place of --service, such as 50=8ms; as often as needed, 0 and 100 among"
                    + " them.")
    private Map<Double, Duration> percentiles = new HashMap<>();

    @Option(
            names = "--ordering",
            paramLabel = "MODE",
            defaultValue = "key",
            description = "plain (Kafka's consumer, one record at a time), partition, key or unordered (default:"
                    + " ${DEFAULT-VALUE}).")
    private Mode ordering = Mode.KEY;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Different keys (default: ${DEFAULT-VALUE}).")
    private int keys = 10_000;

    @Option(
            names = "--zipf",
            paramLabel = "S",
            defaultValue = "0",
            description = "Exponent of Zipf's law, by which keys are frequent (default: ${DEFAULT-VALUE}, all alike).")
    private double zipf;

    @Option(
            names = "--hot-share",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "The share of one hot key (default: ${DEFAULT-VALUE}, none).")
    private double hotShare;

    @Option(names = "--skew-shift", paramLabel = "TIME", description = "When other keys become the frequent ones.")
    private @Nullable Duration skewShift;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "12",
            description = "Partitions (default: ${DEFAULT-VALUE}).")
    private int partitions = 12;

    @Option(
            names = "--members",
            paramLabel = "N",
            defaultValue = "1",
            description = "Members at the start (default: ${DEFAULT-VALUE}).")
    private int members = 1;

    @Option(
            names = "--assignor",
            paramLabel = "NAME",
            defaultValue = "count",
            description = "By what the group shares out partitions: count, as Kafka's assignors do, or load, as"
                    + " Laneway's does (default: ${DEFAULT-VALUE}).")
    private Assignor assignor = Assignor.COUNT;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "256",
            description = "Records that a member handles at once (default: ${DEFAULT-VALUE}).")
    private int concurrency = 256;

    @Option(
            names = "--reserve",
            paramLabel = "N",
            defaultValue = "20000",
            description = "Records that a member holds (default: ${DEFAULT-VALUE}).")
    private int reserve = 20_000;

    @Option(names = "--no-spill", description = "A key with many waiting records leaves none of them to the log.")
    private boolean noSpill;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "10m",
            description = "How long to simulate (default: ${DEFAULT-VALUE}).")
    private Duration period = Duration.ofMinutes(10);

    @Option(
            names = "--warm-up",
            paramLabel = "TIME",
            defaultValue = "0",
            description = "From when on rate and latency count (default: ${DEFAULT-VALUE}).")
    private Duration warmUp = Duration.ZERO;

    @Option(
            names = "--tick",
            paramLabel = "TIME",
            defaultValue = "10s",
            description = "Time between two looks (default: ${DEFAULT-VALUE}).")
    private Duration tick = Duration.ofSeconds(10);

    @Option(
            names = "--goal",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How old a record may be when it is done (default: ${DEFAULT-VALUE}).")
    private Duration goal = Duration.ofSeconds(30);

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of all random numbers (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(names = "--chart", paramLabel = "FILE", description = "Write rates and lag over time to this file, as SVG.")
    private @Nullable Path chart;

    private @Nullable SizeProfile profile;

    SimulateCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        traffic.check();
        Path given = fromRun;
        if (given != null) {
            profile = ProfileFile.read(given)
                    .orElseThrow(() -> new ConfigurationException(
                            "--from-run", given, "must be a profile", "give a file that size has written"));
        }
        trouble.check();
        Rules.between("--keys", keys, 1, 10_000_000);
        Rules.between("--partitions", partitions, 1, 100_000);
        Rules.between("--members", members, 1, 10_000);
        Rules.between("--concurrency", concurrency, 1, 1_000_000);
        Rules.between("--reserve", reserve, 1, 100_000_000);
        Rules.atLeast("--zipf", zipf, 0);
        Rules.between("--zipf", (long) Math.ceil(zipf), 0, 10);
        Rules.share("--hot-share", hotShare);
        Rules.positive("--service", service);
        Rules.positive("--for", period);
        Rules.positive("--tick", tick);
        Rules.positive("--goal", goal);
        Rules.writable("--chart", chart);
        if (warmUp.compareTo(period) >= 0) {
            throw new ConfigurationException(
                    "--warm-up", Text.duration(warmUp), "must be shorter than --for", "simulate longer");
        }
        if ((double) period.toNanos() / (double) tick.toNanos() > 1_000_000) {
            throw new ConfigurationException(
                    "--tick", Text.duration(tick), "must be at least a millionth of --for", "look less often");
        }
        if (skewShift != null && zipf == 0 && hotShare == 0) {
            throw new ConfigurationException(
                    "--skew-shift", Text.duration(skewShift), "goes with --zipf or --hot-share", "give one of these");
        }
        if ((p99 == null) == (times == Times.LOGNORMAL)) {
            throw new ConfigurationException(
                    "--p99",
                    p99 == null ? "not given" : Text.duration(p99),
                    "goes with --times lognormal",
                    "give both or neither");
        }
        if (keys < partitions) {
            throw new ConfigurationException(
                    "--keys", keys, "must be at least --partitions, " + partitions, "give more keys");
        }
        times();
    }

    private ServiceTime times() {
        try {
            double mean = profile == null ? (double) service.toNanos() / NANOS : profile.simulatedSeconds(members);
            if (!percentiles.isEmpty()) {
                List<ServiceTime.Percentiles.Point> points = new ArrayList<>();
                new TreeMap<>(percentiles)
                        .forEach((share, time) -> points.add(
                                new ServiceTime.Percentiles.Point(share / 100, (double) time.toNanos() / NANOS)));
                return new ServiceTime.Percentiles(points);
            }
            return switch (times) {
                case FIXED -> new ServiceTime.Fixed(mean);
                case EXPONENTIAL -> new ServiceTime.Exponential(mean);
                case LOGNORMAL -> ServiceTime.LogNormal.of(mean, p99 == null ? mean : (double) p99.toNanos() / NANOS);
            };
        } catch (IllegalArgumentException wrong) {
            if (!percentiles.isEmpty()) {
                throw new ConfigurationException(
                        "--percentile",
                        new TreeMap<>(percentiles).keySet(),
                        "must be from 0 to 100, both included, with times that rise",
                        "add the least time as 0 and the longest as 100");
            }
            throw new ConfigurationException(
                    "--p99",
                    p99 == null ? "not given" : Text.duration(p99),
                    "must be from once to 14 times --service",
                    "give another one, or measured times by --percentile");
        }
    }

    @Override
    protected int run() {
        Scenario scenario = scenario();
        long start = System.nanoTime();
        SimulationResult result = simulated(scenario);
        double wall = (double) Math.max(1, System.nanoTime() - start) / NANOS;
        SimulateText.lines(result, scenario, wall, terminal().width()).forEach(text()::println);
        report(SimulateJson.of(result, scenario, wall));
        if (chart != null) {
            try {
                SimulateText.chart(result).write(chart);
            } catch (IOException failed) {
                throw new VerbFailure("cannot write --chart " + chart + ": " + failed.getMessage(), failed);
            }
        }
        return Program.FINE;
    }

    private SimulationResult simulated(Scenario scenario) {
        Controller controller = trouble.controller();
        try {
            return Simulation.run(scenario, tick -> {
                if (stop().isRequested()) {
                    throw new VerbFailure("stopped at " + Math.round(tick.seconds()) + " s of the simulated time");
                }
                return controller.decide(tick);
            });
        } catch (IllegalArgumentException wrong) {
            throw new VerbFailure("that cannot be simulated: " + wrong.getMessage(), wrong);
        }
    }

    private Scenario scenario() {
        Group group = new Group(
                ordering,
                partitions,
                members,
                profile == null ? concurrency : profile.simulatedConcurrency(),
                reserve,
                !noSpill,
                assignor);
        double shift = skewShift == null ? Double.POSITIVE_INFINITY : (double) skewShift.toNanos() / NANOS;
        Span span = new Span(
                (double) period.toNanos() / NANOS,
                (double) warmUp.toNanos() / NANOS,
                (double) Math.min(tick.toNanos(), period.toNanos()) / NANOS,
                (double) goal.toNanos() / NANOS,
                seed);
        return new Scenario(
                group,
                traffic.traffic(seed),
                traffic.backlog(),
                new Keys(keys, zipf, hotShare, shift),
                times(),
                trouble.downstream(),
                trouble.disturbances(),
                trouble.rescaling(),
                span);
    }
}
