package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.size.ProfileFile;
import dev.laneway.ops.plan.Goals;
import dev.laneway.ops.plan.Instance;
import dev.laneway.ops.plan.KafkaSettings;
import dev.laneway.ops.plan.Load;
import dev.laneway.ops.plan.MeasuredInstance;
import dev.laneway.ops.plan.MeasuredWork;
import dev.laneway.ops.plan.Mode;
import dev.laneway.ops.plan.Plan;
import dev.laneway.ops.plan.PlanRequest;
import dev.laneway.ops.plan.Planner;
import dev.laneway.ops.size.SizeProfile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Says how many partitions, members and workers a load needs. */
@Command(
        name = "plan",
        header = "Say how many partitions, members and workers a load needs.",
        description = {
            "By Little's law (records at once = rate x time per record), and then with what is real: a reserve that"
                    + " ends, a hot key, room to spare, members that fail, disks. Connects to nothing."
                    + " docs/plan.md explains each figure."
        },
        footer = {
            "",
            "Example: laneway plan --rate 20000 --service 10ms --keys 50000",
            "",
            "Exit codes: 0 planned; 1 nothing allowed here carries it, or failed; 2 usage."
        })
final class PlanCommand extends Verb {
    private static final double NANOS = 1e9;
    private static final double MOST_RATE = 1e12;
    private static final double MOST_GROWTH = 1_000;

    @Option(names = "--rate", paramLabel = "N", description = "Records a second, all partitions, when most come.")
    private @Nullable Double rate;

    @Option(
            names = "--service",
            paramLabel = "TIME",
            description = "How long the handler takes for a record, on average; 0 if that does not count.")
    private @Nullable Duration service;

    @Option(
            names = "--from-run",
            paramLabel = "FILE",
            description =
                    "Take the time of a record from this file: what check --record wrote of a consumer at work, what"
                            + " bench --json wrote, or a profile of size, which also has what whole instances do."
                            + " --service wins over it.")
    private @Nullable Path fromRun;

    @Option(
            names = "--row",
            paramLabel = "SCENARIO/CASE",
            description = "Which rows of bench, if the file has several.")
    private @Nullable String row;

    @Option(
            names = "--ordering",
            paramLabel = "MODE",
            defaultValue = "key",
            description = "What to plan for: plain (Kafka's consumer, one record at a time), partition, key or"
                    + " unordered (default: ${DEFAULT-VALUE}). All four are compared.")
    private Mode ordering = Mode.KEY;

    @Option(names = "--keys", paramLabel = "N", description = "How many different keys come within some seconds.")
    private @Nullable Long keys;

    @Option(
            names = "--hottest-share",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "The share of the most frequent key in all records (default: ${DEFAULT-VALUE}, all alike).")
    private double hottestShare;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description = "How many partitions there are, if they are not to be chosen.")
    private @Nullable Integer partitions;

    @Option(
            names = "--partition-rate",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Records a second that one partition takes (default: ${DEFAULT-VALUE}).")
    private double partitionRate = 10_000;

    @Option(names = "--members", paramLabel = "N", description = "How many members there may be at most.")
    private @Nullable Integer members;

    @Option(
            names = "--utilisation",
            paramLabel = "SHARE",
            defaultValue = "0.7",
            description = "The most of its capacity that the load may take (default: ${DEFAULT-VALUE}).")
    private double utilisation = 0.7;

    @Option(
            names = "--growth",
            paramLabel = "TIMES",
            defaultValue = "1",
            description = "How many times the load of today it must carry (default: ${DEFAULT-VALUE}).")
    private double growth = 1;

    @Option(
            names = "--failures",
            paramLabel = "N",
            defaultValue = "1",
            description = "Members that may be gone, the others carrying it all (default: ${DEFAULT-VALUE}).")
    private int failures = 1;

    @Option(
            names = "--outage",
            paramLabel = "TIME",
            defaultValue = "5m",
            description = "How long the group may stand still, as in a deployment (default: ${DEFAULT-VALUE}).")
    private Duration outage = Duration.ofMinutes(5);

    @Option(
            names = "--catch-up",
            paramLabel = "TIME",
            defaultValue = "30m",
            description = "How soon after that it must be up to date (default: ${DEFAULT-VALUE}).")
    private Duration catchUp = Duration.ofMinutes(30);

    @Option(
            names = "--chart",
            paramLabel = "FILE",
            description = "Write the rate against concurrency, keys and partitions to this file, as SVG.")
    private @Nullable Path chart;

    @Mixin
    private InstanceOptions instance = new InstanceOptions();

    PlanCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        if (rate == null) {
            throw new ConfigurationException("--rate", "not given", "must be", "give records a second");
        }
        Rules.positive("--rate", rate);
        Rules.atMost("--rate", rate, MOST_RATE);
        if (service == null && fromRun == null) {
            throw new ConfigurationException(
                    "--service",
                    "not given",
                    "must be, unless --from-run is",
                    "give the time of a record, such as 10ms");
        }
        if (row != null && fromRun == null) {
            throw new ConfigurationException("--row", row, "goes with --from-run", "give the file of the rows");
        }
        if (keys != null) {
            Rules.between("--keys", keys, 1, 1_000_000_000_000L);
        }
        Rules.share("--hottest-share", hottestShare);
        if (partitions != null) {
            Rules.between("--partitions", partitions, 1, 1_000_000);
        }
        if (members != null) {
            Rules.between("--members", members, 1, 1_000_000);
        }
        Rules.positive("--partition-rate", partitionRate);
        Rules.share("--utilisation", utilisation);
        Rules.positive("--utilisation", utilisation);
        Rules.positive("--growth", growth);
        Rules.atMost("--growth", growth, MOST_GROWTH);
        Rules.between("--failures", failures, 0, 1_000);
        Rules.positive("--catch-up", catchUp);
        Rules.writable("--chart", chart);
        instance.check();
    }

    @Override
    protected int run() {
        SizeProfile profile = fromRun == null ? null : ProfileFile.read(fromRun).orElse(null);
        MeasuredWork measured = profile != null ? profile.work() : fromRun == null ? null : RunFile.read(fromRun, row);
        MeasuredInstance whole = profile == null || service != null ? MeasuredInstance.NONE : profile.instance();
        Instance size = instance.instance(profile == null ? null : profile.work());
        Goals goals = new Goals(
                utilisation,
                growth,
                failures,
                (double) outage.toNanos() / NANOS,
                (double) catchUp.toNanos() / NANOS,
                partitionRate,
                partitions == null ? 0 : partitions,
                members == null ? 0 : members);
        KafkaSettings kafka = instance.kafka();
        Plan plan =
                Planner.plan(new PlanRequest(ordering, load(measured), size, goals, kafka, instance.state(), whole));
        PlanText.lines(plan, measured, terminal().width()).forEach(text()::println);
        report(PlanJson.of(plan, measured));
        if (chart != null) {
            try {
                PlanText.chart(plan).write(chart);
            } catch (IOException failed) {
                throw new VerbFailure("cannot write --chart " + chart + ": " + failed.getMessage(), failed);
            }
        }
        return plan.isEnough() ? Program.FINE : Program.FAILED;
    }

    private Load load(@Nullable MeasuredWork measured) {
        double seconds =
                service != null ? (double) service.toNanos() / NANOS : measured == null ? 0 : measured.serviceSeconds();
        double bytes = instance.recordBytes(measured);
        return new Load(
                rate == null ? 0 : rate,
                seconds,
                keys == null ? 0 : keys,
                hottestShare,
                bytes,
                instance.diskBytes(),
                bytes,
                measured == null ? 0 : measured.cpuSeconds());
    }
}
