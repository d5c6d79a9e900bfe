package dev.laneway.bench;

import dev.laneway.ConfigurationException;
import dev.laneway.bench.report.RowFile;
import dev.laneway.bench.scenario.BenchOrder;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures Laneway, the bare Kafka client and other libraries side by side. */
@Command(
        name = "bench",
        header = "Measure Laneway, the bare client and other libraries side by side.",
        description = {
            "Starts a Kafka broker in a JVM of its own and loads the topics that are needed. Each peer then does the"
                + " same work in a fresh JVM, one after the other, run after run, so that whatever else the machine"
                + " does hits all of them. The tables show the median of the runs, their range, and the ratio to the"
                + " bare poll loop of the same run. docs/benchmarks.md tells how each figure is taken.",
            "",
            "A full run writes its rows as they come, and goes on with what is missing when it is started again with"
                    + " the same --report. Figures of a machine that does other work too mean little."
        },
        footer = {
            "",
            "Example: laneway bench --quick --json -",
            "",
            "Exit codes: 0 measured, whatever the figures say, 1 failed, stopped before the end, or Laneway or the bare"
                    + " loop failed a check, 2 usage."
        })
final class BenchCommand extends Verb {
    private static final int MOST_RUNS = 1_000;
    /** Options that say what is measured, or where its rows go. */
    private static final List<String> MEASURING =
            List.of("--list", "--quick", "--scenario", "--peers", "--runs", "--scale", "--json");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--list",
            description = "Say which scenarios and peers there are and how long all of it takes, and end.")
    private boolean list;

    @Option(
            names = "--quick",
            description = "The headline in less than five minutes: plain and many-keys with the best-known peers, made"
                    + " small. With --scenario or --peers: those, made small.")
    private boolean quick;

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            split = ",",
            description =
                    "What to measure; several with commas between them, and NAME/CASE for one case (default: all).")
    private List<String> scenarios = new ArrayList<>();

    @Option(
            names = "--peers",
            paramLabel = "NAME",
            split = ",",
            description = "Whom to measure; several with commas between them, and a name that ends with * takes all"
                    + " that begin so (default: all that a scenario has).")
    private List<String> peers = new ArrayList<>();

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "How often each arm is run (default: 5, or 3 with --quick).")
    private @Nullable Integer runs;

    @Option(
            names = "--scale",
            paramLabel = "SHARE",
            defaultValue = "1",
            description = "The share of the usual records and times (default: ${DEFAULT-VALUE}).")
    private double scale;

    @Option(
            names = "--page",
            description =
                    "Measure nothing: make report.html of the rows that the directory of --report holds, and end.")
    private boolean page;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description =
                    "Write rows, a report in markdown, and as an HTML page with charts, to this directory (default:"
                            + " bench/results/DATE-MACHINE for a full run, none with --quick, --scenario or --peers).")
    private @Nullable Path report;

    BenchCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        if (runs != null) {
            Rules.between("--runs", runs, 1, MOST_RUNS);
        }
        if (!(scale > 0 && scale <= 100)) {
            throw new ConfigurationException(
                    "--scale", scale, "must be above 0, at most 100", "0.1 is a tenth of the usual records");
        }
        Rules.directory("--report", report);
        for (String other : MEASURING) {
            if (page && spec.commandLine().getParseResult().hasMatchedOption(other)) {
                throw new ConfigurationException(
                        "--page",
                        "given",
                        "must not be with " + other + ", since it measures nothing",
                        "leave one out");
            }
        }
        if (page && (report == null || !Files.isRegularFile(report.resolve(RowFile.NAME)))) {
            throw new ConfigurationException(
                    "--page",
                    report == null ? "given without --report" : "given for " + report,
                    "needs a directory with " + RowFile.NAME,
                    "give --report bench/results/NAME");
        }
    }

    @Override
    protected int run() throws InterruptedException {
        Bench benchmarks = new Bench();
        if (list) {
            benchmarks.list(text());
            return Program.FINE;
        }
        if (page && report != null) {
            benchmarks.page(report, text());
            return Program.FINE;
        }
        BenchOrder order = new BenchOrder(
                "./laneway "
                        + String.join(" ", spec.commandLine().getParseResult().originalArgs()),
                quick,
                List.copyOf(scenarios),
                List.copyOf(peers),
                runs,
                scale,
                report,
                text(),
                errors(),
                stop());
        benchmarks.check(order);
        List<Map<String, @Nullable Object>> rows = benchmarks.run(order);
        report(rows);
        return rows.stream().allMatch(BenchCommand::isFine) ? Program.FINE : Program.FAILED;
    }

    /** Other libraries may fail; the tables say so. */
    private static boolean isFine(Map<String, @Nullable Object> row) {
        String peer = String.valueOf(row.get("peer"));
        return Boolean.TRUE.equals(row.get("ok")) || !(peer.startsWith("laneway") || peer.startsWith("bare"));
    }
}
