package dev.laneway.cli;

import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Verb;
import dev.laneway.ops.scale.LogEntry;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Explains one decision. */
@Command(
        name = "explain",
        header = "Explain a decision: what was known, which rules fired, what was held back.",
        description = {
            "Shows the decision at or before a time, or the last one: its sentence, the load, what each topic needs,"
                    + " the rules that fired and those that were held back, why, and until when. Reads the log only."
        },
        footer = {
            "",
            "Example: laneway autoscale explain --log decisions.jsonl --at 2026-01-31T12:00:00Z",
            "",
            "Exit codes: 0 explained; 1 failed, or there is no decision; 2 usage."
        })
final class AutoscaleExplainCommand extends Verb {
    @Mixin
    private DecisionLogOption log = new DecisionLogOption();

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "The decision at or before this time, in UTC, such as 2026-01-31T12:00:00Z; the last one"
                    + " without it.")
    private @Nullable String at;

    AutoscaleExplainCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        DecisionLogOption.millis("--at", at);
        log.check();
    }

    @Override
    protected int run() {
        LogEntry entry = log.entry(DecisionLogOption.millis("--at", at));
        AutoscaleText.explained(entry, terminal().width()).forEach(text()::println);
        AutoscaleText.gaps(log, terminal().width()).forEach(text()::println);
        report(AutoscaleJson.explained(entry, log.damaged(), log.lost()));
        return Program.FINE;
    }
}
