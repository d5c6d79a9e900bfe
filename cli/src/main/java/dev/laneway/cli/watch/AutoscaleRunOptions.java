package dev.laneway.cli.watch;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Rules;
import dev.laneway.ops.control.ScalingMode;
import dev.laneway.ops.scale.ScalingPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every autoscaler is told, whatever it acts on. Filled by the parser, then read only. */
public final class AutoscaleRunOptions {
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

    @Mixin
    private PolicyOptions pace = new PolicyOptions();

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
        pace.check();
        if (period != null) {
            Rules.positive("--for", period);
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
        return pace.policy();
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
        return pace.interval();
    }

    Duration window() {
        return pace.window();
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
