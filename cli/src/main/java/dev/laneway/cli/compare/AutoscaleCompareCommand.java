package dev.laneway.cli.compare;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.compare.LoadCases;
import dev.laneway.ops.compare.PolicyComparison;
import dev.laneway.ops.compare.ScalingContender;
import dev.laneway.ops.simulate.Assignor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares scaling policies under the same loads. */
@Command(
        name = "compare",
        header = "Compare scaling policies under the same loads, in the simulator.",
        description = {
            "Static, HPA by processor, KEDA by lag, Flink's autoscaler, bin packing, and this project's policy, each"
                    + " under seven loads, without and with state to read again. Policies' settings are constants;"
                    + " heights and times of the loads are drawn from --seed, which no policy sees. Nothing is"
                    + " connected to."
        },
        footer = {
            "",
            "Marks: * no policy had less of breach minutes or instance-hours and not more of the other; + beyond that"
                    + " the fewest breach minutes of all that scale.",
            "",
            "Example: laneway autoscale compare --seeds 3 --report compare.html",
            "",
            "Exit codes: 0 compared, 1 failed, 2 usage."
        })
public final class AutoscaleCompareCommand extends Verb {
    private static final long REDRAW_NANOS = Duration.ofMillis(500).toNanos();

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "The first seed of the loads (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    @Option(
            names = "--seeds",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many seeds: figures are their means (default: ${DEFAULT-VALUE}).")
    private int seeds = 1;

    @Option(
            names = "--load",
            paramLabel = "NAME",
            split = ",",
            description = "Only these loads: step, ramp, cosine, spikes, daily, \"skew shift\", \"slow service\".")
    private List<String> loads = new ArrayList<>();

    @Option(
            names = "--assignor",
            paramLabel = "NAME",
            defaultValue = "count",
            description = "By what groups share out partitions: count, as Kafka's assignors do, or load, as Laneway's"
                    + " does. Bin packing has its own (default: ${DEFAULT-VALUE}).")
    private Assignor assignor = Assignor.COUNT;

    @Option(names = "--report", paramLabel = "FILE", description = "Write a page with charts to this file, as HTML.")
    private @Nullable Path report;

    /** A verb that writes there. */
    public AutoscaleCompareCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        Rules.between("--seeds", seeds, 1, 100);
        Rules.between("--seed", seed, 0, 1_000_000_000);
        Rules.writable("--report", report);
        for (String load : loads) {
            if (!LoadCases.names().contains(load)) {
                throw new ConfigurationException(
                        "--load", load, "must be one of " + String.join(", ", LoadCases.names()), "give one of these");
            }
        }
    }

    @Override
    protected int run() {
        List<String> names = loads.isEmpty()
                ? LoadCases.names()
                : LoadCases.names().stream().filter(loads::contains).toList();
        List<Long> drawn = LongStream.range(seed, seed + seeds).boxed().toList();
        long start = System.nanoTime();
        boolean isLive = terminal().live();
        long[] drawnAt = {start};
        PolicyComparison comparison =
                PolicyComparison.of(ScalingContender.ALL, names, List.of(false, true), drawn, assignor, (done, all) -> {
                    if (stop().isRequested()) {
                        throw new VerbFailure("stopped after " + done + " of " + all + " simulations");
                    }
                    long now = System.nanoTime();
                    if (isLive && (now - drawnAt[0] > REDRAW_NANOS || done.equals(all))) {
                        drawnAt[0] = now;
                        errors().print("\r\033[K" + (done.equals(all) ? "" : progress(done, all, now - start)));
                        errors().flush();
                    }
                });
        CompareText.lines(comparison, terminal().width()).forEach(text()::println);
        String command = "./laneway autoscale compare --seed " + seed + " --seeds " + seeds
                + (loads.isEmpty() ? "" : " --load \"" + String.join(",", names) + "\"")
                + (assignor == Assignor.COUNT ? "" : " --assignor load");
        text().println("Simulated in " + Text.duration(Duration.ofNanos(System.nanoTime() - start)) + " by " + command);
        report(CompareJson.of(comparison, drawn, assignor));
        if (report != null) {
            try {
                Files.writeString(report, ComparePage.of(comparison, command), StandardCharsets.UTF_8);
            } catch (IOException failed) {
                throw new VerbFailure("cannot write --report " + report + ": " + failed.getMessage(), failed);
            }
        }
        return Program.FINE;
    }

    private static String progress(int done, int all, long nanos) {
        return done + " of " + all + " simulations, about "
                + Text.duration(Duration.ofSeconds(Math.round((double) nanos / 1e9 / done * (all - done)))) + " left";
    }
}
