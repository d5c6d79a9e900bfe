package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Rules;
import dev.laneway.ops.simulate.Controller;
import dev.laneway.ops.simulate.Disturbance;
import dev.laneway.ops.simulate.Rescaling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code simulate} for what changes and goes wrong meanwhile. */
final class TroubleOptions {
    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;

    @Option(
            names = "--scale-at",
            paramLabel = "TIME=N",
            description = "Change the members to N at that time; as often as needed.")
    private Map<Duration, Integer> scaleAt = new HashMap<>();

    @Option(
            names = "--start-time",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long a new member takes to join (default: ${DEFAULT-VALUE}).")
    private Duration startTime = Duration.ofSeconds(30);

    @Option(
            names = "--pause",
            paramLabel = "TIME",
            defaultValue = "3s",
            description = "How long partitions that change hands stand still (default: ${DEFAULT-VALUE}).")
    private Duration pause = Duration.ofSeconds(3);

    @Option(names = "--eager", description = "All partitions stand still then, as with the eager protocol.")
    private boolean eager;

    @Option(
            names = "--state-mb",
            paramLabel = "MB",
            defaultValue = "0",
            description = "State of all partitions, which new owners read again (default: ${DEFAULT-VALUE}).")
    private double stateMb;

    @Option(
            names = "--restore-mb",
            paramLabel = "MB",
            defaultValue = "50",
            description = "MB a second in which they do (default: ${DEFAULT-VALUE}).")
    private double restoreMb = 50;

    @Option(names = "--slow-from", paramLabel = "TIME", description = "When records begin to take longer.")
    private @Nullable Duration slowFrom;

    @Option(
            names = "--slow-for",
            paramLabel = "TIME",
            defaultValue = "1m",
            description = "For how long they do (default: ${DEFAULT-VALUE}).")
    private Duration slowFor = Duration.ofMinutes(1);

    @Option(
            names = "--slow-times",
            paramLabel = "N",
            defaultValue = "10",
            description = "How many times as long they take (default: ${DEFAULT-VALUE}).")
    private double slowTimes = 10;

    @Option(
            names = "--stuck-from",
            paramLabel = "TIME",
            description = "When records of the most frequent key get stuck.")
    private @Nullable Duration stuckFrom;

    @Option(
            names = "--stuck-for",
            paramLabel = "TIME",
            defaultValue = "1m",
            description = "For how long they are (default: ${DEFAULT-VALUE}).")
    private Duration stuckFor = Duration.ofMinutes(1);

    @Option(
            names = "--downstream",
            paramLabel = "N",
            defaultValue = "0",
            description = "Calls that what the handlers call answers at once; with more each takes longer (default:"
                    + " ${DEFAULT-VALUE}, no limit).")
    private int downstream;

    void check() {
        scaleAt.values().forEach(members -> Rules.between("--scale-at", members, 1, 10_000));
        Rules.atLeast("--state-mb", stateMb, 0);
        Rules.positive("--restore-mb", restoreMb);
        Rules.positive("--slow-for", slowFor);
        Rules.positive("--slow-times", slowTimes);
        Rules.positive("--stuck-for", stuckFor);
        Rules.between("--downstream", downstream, 0, 1_000_000_000);
        if (eager && scaleAt.isEmpty()) {
            throw new ConfigurationException(
                    "--eager", "given", "goes with --scale-at", "say when the number of members changes");
        }
    }

    int downstream() {
        return downstream;
    }

    Rescaling rescaling() {
        return new Rescaling(seconds(startTime), seconds(pause), eager, stateMb * MEGA, restoreMb * MEGA);
    }

    List<Disturbance> disturbances() {
        List<Disturbance> all = new ArrayList<>();
        if (slowFrom != null) {
            all.add(new Disturbance.Slowdown(seconds(slowFrom), seconds(slowFor), slowTimes));
        }
        if (stuckFrom != null) {
            all.add(new Disturbance.StuckKey(seconds(stuckFrom), seconds(stuckFor)));
        }
        return all;
    }

    /** At the first tick at or after its time each change is asked for. */
    Controller controller() {
        TreeMap<Double, Integer> changes = new TreeMap<>();
        scaleAt.forEach((time, members) -> changes.put(seconds(time), members));
        return tick -> {
            Map.Entry<Double, Integer> latest = changes.floorEntry(tick.seconds());
            return new Controller.Decision(
                    latest == null ? tick.requestedMembers() : latest.getValue(), tick.concurrency());
        };
    }

    private static double seconds(Duration duration) {
        return (double) duration.toNanos() / NANOS;
    }
}
