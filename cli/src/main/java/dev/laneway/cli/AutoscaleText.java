package dev.laneway.cli;

import dev.laneway.cli.program.Lines;
import dev.laneway.cli.program.Text;
import dev.laneway.ops.scale.Decision;
import dev.laneway.ops.scale.IncidentReplay;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.ops.scale.RuleNote;
import dev.laneway.ops.scale.ScalingMetrics;
import dev.laneway.ops.scale.SourceLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Decisions of a log as lines of text. Pure functions. */
final class AutoscaleText {
    private AutoscaleText() {}

    static List<String> explained(LogEntry entry, int width) {
        Decision decision = entry.decision();
        ScalingMetrics inputs = entry.inputs();
        List<String> lines = new ArrayList<>(Lines.wrap(
                entry.application() + " at " + DecisionLogOption.time(decision.atMillis()) + " (" + entry.mode()
                        + ", decision " + entry.tick() + ")",
                width));
        add(lines, width, decision.sentence());
        lines.add("");
        add(
                lines,
                width,
                "Known: " + members(decision.from().members()) + ", busy " + share(inputs.busyShare())
                        + (inputs.isStable() ? "" : ", not all running") + (inputs.isRestoring() ? ", restoring" : "")
                        + (inputs.verdict() == null
                                ? ""
                                : ", check says " + inputs.verdict().outcome()
                                        + (inputs.verdict().cause() == null
                                                ? ""
                                                : " " + name(inputs.verdict().cause()))));
        for (SourceLoad source : inputs.sources()) {
            add(
                    lines,
                    width,
                    "  " + source.name() + ": " + rate(source.appendRate()) + " in/s, "
                            + rate(source.processRate()) + " done/s, " + rate(source.lag()) + " waiting, "
                            + source.partitions() + " partitions" + target(decision, source.name()));
        }
        if (decision.raw() > 0) {
            add(
                    lines,
                    width,
                    "Wanted: " + decision.raw() + ", useful " + decision.aligned() + ", decided "
                            + decision.to().members()
                            + (decision.clampedBy().isEmpty()
                                    ? ""
                                    : ", limited by " + String.join(", ", decision.clampedBy())));
        }
        if (decision.expected() != null) {
            Decision.Expected expected = decision.expected();
            add(
                    lines,
                    width,
                    "Expected: " + rate(expected.capacity()) + " records/s, "
                            + Text.percent(expected.busyShare()) + " busy, nothing waits after "
                            + seconds(expected.drainSeconds()) + ", pause " + seconds(expected.pauseSeconds())
                            + ", tasks moved after " + seconds(expected.etaSeconds()));
        }
        if (entry.actedBefore() != null) {
            add(lines, width, "The change before this: " + entry.actedBefore());
        }
        notes(lines, width, "Fired:", decision.fired());
        notes(lines, width, "Held back:", decision.held());
        return lines;
    }

    private static void add(List<String> lines, int width, String text) {
        lines.addAll(Lines.wrap(text, width));
    }

    private static void notes(List<String> lines, int width, String title, List<RuleNote> notes) {
        if (!notes.isEmpty()) {
            lines.add(title);
        }
        for (RuleNote note : notes) {
            add(
                    lines,
                    width,
                    "  - " + name(note.rule()) + ": " + note.why()
                            + (note.untilMillis() == null
                                    ? ""
                                    : ", until " + DecisionLogOption.time(note.untilMillis())));
        }
    }

    private static String target(Decision decision, String source) {
        return decision.targets().stream()
                .filter(target -> target.source().equals(source))
                .findFirst()
                .map(target -> String.format(
                        Locale.ROOT, "; needs %s/s, %.1f members", rate(target.needRate()), target.needMembers()))
                .orElse("");
    }

    /** What is missing in the log, if anything is. */
    static List<String> gaps(DecisionLogOption log, int width) {
        List<String> lines = new ArrayList<>();
        if (log.damaged() > 0) {
            add(lines, width, "Note: " + log.damaged() + " damaged lines of the log are left out.");
        }
        if (log.lost() > 0) {
            add(lines, width, "Note: " + log.lost() + " decisions could not be written to the log.");
        }
        return lines;
    }

    /** Decisions that change something or differ, and how the two policies compare. */
    static List<String> replayed(List<IncidentReplay.Step> steps, int top, int width) {
        List<String> lines = new ArrayList<>();
        int shown = 0;
        int left = 0;
        int before = -1;
        for (IncidentReplay.Step step : steps) {
            boolean isChange =
                    step.replayed().isChange() || step.recorded().decision().isChange();
            int members = step.inputs().shape().members();
            boolean isNew = isChange || (members != before && before >= 0);
            before = members;
            if (isNew && shown++ < top) {
                add(lines, width, line(step));
            } else if (isNew) {
                left++;
            }
        }
        if (left > 0) {
            lines.add(left + " more are left out: raise --top, or see --json");
        }
        add(lines, width, "Recorded: " + sum(steps, false));
        add(lines, width, "Replayed: " + sum(steps, true));
        return lines;
    }

    private static String line(IncidentReplay.Step step) {
        Decision recorded = step.recorded().decision();
        return DecisionLogOption.time(recorded.atMillis()) + " " + (step.isEstimated() ? "~" : "") + "was "
                + recorded.action() + " at " + recorded.from().members() + ", would be "
                + step.replayed().sentence();
    }

    private static String sum(List<IncidentReplay.Step> steps, boolean isReplayed) {
        return String.format(
                Locale.ROOT,
                "%d changes, %.2f instance-hours, at most %s records waiting, %s at the end",
                AutoscaleJson.changes(steps, isReplayed),
                AutoscaleJson.instanceHours(steps, isReplayed),
                rate(steps.stream()
                        .mapToDouble(step -> AutoscaleJson.lag(step, isReplayed))
                        .max()
                        .orElse(0)),
                rate(AutoscaleJson.lag(steps.getLast(), isReplayed)));
    }

    private static String members(int number) {
        return number + (number == 1 ? " member" : " members");
    }

    private static String share(@Nullable Double share) {
        return share == null ? "unknown" : Text.percent(share);
    }

    private static String rate(double number) {
        return Double.isFinite(number) && Math.abs(number) < 1e15 ? Text.count(Math.round(number)) : "?";
    }

    private static String seconds(double seconds) {
        return Double.isFinite(seconds) ? Text.count(Math.round(seconds)) + " s" : "never";
    }

    static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
