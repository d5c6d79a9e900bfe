package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.watch.AutoscalePolicy;
import dev.laneway.ops.scale.IncidentReplay;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.ScalingPolicy;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Decides again what a log has recorded, with another policy. */
@Command(
        name = "replay",
        header = "Decide again what a log has recorded, with another policy.",
        description = {
            "Uses the recorded metrics as long as the other policy asks for the members that were there; from its first"
                    + " other decision on the group is an estimate, marked with ~: each record costs what it did, and"
                    + " what is not done waits. Without another policy it decides as the log does. Changes nothing."
        },
        footer = {
            "",
            "Example: laneway autoscale replay --log decisions.jsonl --set replicas.max=16",
            "",
            "Exit codes: 0 replayed; 1 failed, or there is no decision; 2 usage."
        })
final class AutoscaleReplayCommand extends Verb {
    @Mixin
    private DecisionLogOption log = new DecisionLogOption();

    @Option(names = "--from", paramLabel = "TIME", description = "Only decisions from this time on, in UTC.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "TIME", description = "Only decisions up to this time, in UTC.")
    private @Nullable String to;

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "A properties file with another policy, in place of the recorded one.")
    private @Nullable Path policy;

    @Option(
            names = "--set",
            paramLabel = "OPTION=VALUE",
            description = "Another value of one option, such as replicas.max=16; as often as needed.")
    private Map<String, String> set = new LinkedHashMap<>();

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "40",
            description = "How many decisions are shown that change something or differ (default: ${DEFAULT-VALUE})."
                    + " JSON has all decisions.")
    private int top = 40;

    AutoscaleReplayCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        Long first = DecisionLogOption.millis("--from", from);
        Long last = DecisionLogOption.millis("--to", to);
        if (first != null && last != null && last < first) {
            throw new ConfigurationException(
                    "--to", String.valueOf(to), "must not be before --from", "give a later time");
        }
        Rules.atLeast("--top", top, 1);
        policyOf(Map.of());
        log.check();
    }

    /** The policy of --policy, or else the recorded one, with --set. */
    private ScalingPolicy policyOf(Map<String, String> recorded) {
        return AutoscalePolicy.of(policy, set, recorded);
    }

    @Override
    protected int run() {
        Long first = DecisionLogOption.millis("--from", from);
        Long last = DecisionLogOption.millis("--to", to);
        List<LogEntry> entries = log.read(
                reader -> reader.between(first == null ? Long.MIN_VALUE : first, last == null ? Long.MAX_VALUE : last));
        if (entries.isEmpty()) {
            throw new VerbFailure("the log has no decision in that time: give another --from and --to, or neither");
        }
        LogEntry begin = entries.getFirst();
        ScalingPolicy other = policy == null && set.isEmpty()
                ? DecisionLogOption.told(begin::scalingPolicy)
                : policyOf(begin.policy());
        List<IncidentReplay.Step> steps = IncidentReplay.of(entries, other);
        AutoscaleText.replayed(steps, top, terminal().width()).forEach(text()::println);
        AutoscaleText.gaps(log, terminal().width()).forEach(text()::println);
        report(AutoscaleJson.replayed(steps, other));
        return Program.FINE;
    }
}
