package dev.laneway.cli;

import dev.laneway.cli.program.Lines;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.WhyNot;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says why there are not so many members. */
@Command(
        name = "why-not",
        header = "Say why a decision was not for another number of members.",
        description = {
            "Of the decision at or before a time, or the last one: which bound, load, number of partitions or rule is"
                    + " against that number. Reads the log only."
        },
        footer = {
            "",
            "Example: laneway autoscale why-not 5 --log decisions.jsonl",
            "",
            "Exit codes: 0 answered; 1 failed, or there is no decision; 2 usage."
        })
final class AutoscaleWhyNotCommand extends Verb {
    private static final int MOST = 1_000_000;

    @Parameters(index = "0", paramLabel = "N", description = "The number of members.")
    private int members;

    @Mixin
    private DecisionLogOption log = new DecisionLogOption();

    @Option(
            names = "--at",
            paramLabel = "TIME",
            description = "The decision at or before this time, in UTC, such as 2026-01-31T12:00:00Z; the last one"
                    + " without it.")
    private @Nullable String at;

    AutoscaleWhyNotCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        Rules.between("N", members, 0, MOST);
        DecisionLogOption.millis("--at", at);
        log.check();
    }

    @Override
    protected int run() {
        LogEntry entry = log.entry(DecisionLogOption.millis("--at", at));
        List<String> reasons = DecisionLogOption.told(() -> WhyNot.reasons(entry, members));
        int width = terminal().width();
        String when = DecisionLogOption.time(entry.decision().atMillis());
        Lines.wrap("Why not " + members + " at " + when + "?", width).forEach(text()::println);
        reasons.forEach(reason -> Lines.wrap("  - " + reason, width).forEach(text()::println));
        AutoscaleText.gaps(log, width).forEach(text()::println);
        report(AutoscaleJson.whyNot(entry, members, reasons));
        return Program.FINE;
    }
}
