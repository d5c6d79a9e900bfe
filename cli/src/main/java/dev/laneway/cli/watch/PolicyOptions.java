package dev.laneway.cli.watch;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.ops.scale.ScalingOption;
import dev.laneway.ops.scale.ScalingPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The policy of a command line, and how often it is asked. Filled by the parser, then read only. */
public final class PolicyOptions {
    private static final double LEAST_TURNS = 10;
    private static final int LEAST_WINDOW = 3;

    @Option(names = "--policy", paramLabel = "FILE", description = "A properties file with the policy.")
    private @Nullable Path policy;

    @Option(
            names = "--set",
            paramLabel = "OPTION=VALUE",
            description = "Another value of one option of the policy, such as replicas.max=16; as often as needed.")
    private Map<String, String> set = new LinkedHashMap<>();

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "5s",
            description = "Time between two decisions (default: ${DEFAULT-VALUE}).")
    private Duration interval = Duration.ofSeconds(5);

    @Option(
            names = "--window",
            paramLabel = "TIME",
            defaultValue = "1m",
            description = "The time over which rates are taken (default: ${DEFAULT-VALUE}). Several commits of the"
                    + " group must lie in it.")
    private Duration window = Duration.ofMinutes(1);

    /** Checks all of them, before anything is connected. */
    public void check() {
        Rules.positive("--interval", interval);
        Rules.positive("--window", window);
        if (window.compareTo(interval.multipliedBy(LEAST_WINDOW)) < 0) {
            throw new ConfigurationException(
                    "--window",
                    Text.duration(window),
                    "must be at least three times --interval, " + Text.duration(interval),
                    "give a longer one");
        }
        if (!isOftenEnough(policy())) {
            throw new ConfigurationException(
                    "--interval",
                    Text.duration(interval),
                    "must be at most a tenth of down.interval.seconds, "
                            + Math.round(policy().get(ScalingOption.DOWN_INTERVAL))
                            + " s, or no member is ever removed",
                    "give a shorter one");
        }
    }

    /** Whether decisions are made often enough for a policy to remove members ever. */
    public boolean isOftenEnough(ScalingPolicy of) {
        return interval.toNanos() / 1e9 <= of.get(ScalingOption.DOWN_INTERVAL) / LEAST_TURNS;
    }

    /** The policy of --policy, with --set. */
    public ScalingPolicy policy() {
        return AutoscalePolicy.of(policy, set, Map.of());
    }

    /** Time between two decisions. */
    public Duration interval() {
        return interval;
    }

    /** The time over which rates are taken. */
    public Duration window() {
        return window;
    }
}
