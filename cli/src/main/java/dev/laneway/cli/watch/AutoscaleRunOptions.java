package dev.laneway.cli.watch;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Text;
import dev.laneway.ops.control.ScalingMode;
import dev.laneway.ops.scale.ScalingOption;
import dev.laneway.ops.scale.ScalingPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every autoscaler is told, whatever it acts on. Filled by the parser, then read only. */
public final class AutoscaleRunOptions {
    private static final double LEAST_TURNS = 10;
    private static final int LEAST_WINDOW = 3;

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            required = true,
            description = "The group: classic, consumer, streams or share.")
    private String group = "";

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "observe",
            description = "What becomes of a decision (default: ${DEFAULT-VALUE}): observe writes it down; recommend"
                    + " too, and expects that somebody follows it; act does it.")
    private ScalingMode mode = ScalingMode.OBSERVE;

    @Option(names = "--policy", paramLabel = "FILE", description = "A properties file with the policy.")
    private @Nullable Path policy;

    @Option(
            names = "--set",
            paramLabel = "OPTION=VALUE",
            description = "Another value of one option of the policy, such as replicas.max=16; as often as needed.")
    private Map<String, String> set = new LinkedHashMap<>();

    @Option(
            names = "--log",
            paramLabel = "FILE",
            required = true,
            description = "The decision log: decisions are appended, and the last one is where it goes on.")
    private Path log = Path.of("");

    @Mixin
    private MemberOptions members = new MemberOptions();

    @Option(
            names = "--prometheus-each",
            paramLabel = "URL",
            description = "The same of each address that the URL's host has at the time, such as those of the pods"
                    + " behind a headless service; as often as needed.")
    private List<String> each = new ArrayList<>();

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

    @Option(names = "--for", paramLabel = "TIME", description = "End after this time; without it, with Ctrl-C.")
    private @Nullable Duration period;

    @Option(
            names = "--stop-file",
            paramLabel = "FILE",
            description = "While this file is there nothing is changed: a switch for emergencies.")
    private @Nullable Path stopFile;

    /** Checks all of them, before anything is connected. */
    public void check() {
        Rules.named("--group", group);
        Rules.positive("--interval", interval);
        Rules.positive("--window", window);
        if (period != null) {
            Rules.positive("--for", period);
        }
        if (window.compareTo(interval.multipliedBy(LEAST_WINDOW)) < 0) {
            throw new ConfigurationException(
                    "--window",
                    Text.duration(window),
                    "must be at least three times --interval, " + Text.duration(interval),
                    "give a longer one");
        }
        double down = policy().get(ScalingOption.DOWN_INTERVAL);
        if (interval.toNanos() / 1e9 > down / LEAST_TURNS) {
            throw new ConfigurationException(
                    "--interval",
                    Text.duration(interval),
                    "must be at most a tenth of down.interval.seconds, " + Math.round(down)
                            + " s, or no member is ever removed",
                    "give a shorter one");
        }
        Path folder = log.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(log)) {
            throw new ConfigurationException(
                    "--log", log, "must be a file in a directory that exists", "create it, or give another path");
        }
        members.check();
        each.forEach(NamedEndpoints::check);
    }

    CheckInputs inputs() {
        return members.inputs(group, false);
    }

    /** Where members tell their metrics now, besides those that are named one by one. */
    Set<String> endpoints() {
        Set<String> urls = new TreeSet<>();
        each.forEach(url -> urls.addAll(NamedEndpoints.of(url)));
        return urls;
    }

    /** The policy of --policy, with --set. */
    public ScalingPolicy policy() {
        return AutoscalePolicy.of(policy, set, Map.of());
    }

    /** Whose members they are. */
    public String group() {
        return group;
    }

    /** What becomes of decisions. */
    public ScalingMode mode() {
        return mode;
    }

    /** The decision log. */
    public Path log() {
        return log;
    }

    Duration interval() {
        return interval;
    }

    Duration window() {
        return window;
    }

    @Nullable
    Duration period() {
        return period;
    }

    /** Why nothing may be changed now, in words; null if it may. */
    @Nullable
    String stopReason() {
        return stopFile != null && Files.exists(stopFile) ? "the file " + stopFile + " is there" : null;
    }
}
