package dev.laneway.cli.size;

import dev.laneway.cli.program.Lines;
import dev.laneway.cli.program.Text;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.size.SearchStep;
import dev.laneway.ops.size.SizeProfile;
import dev.laneway.ops.size.Trial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What came of a sizing, for people and for {@code --json}. Pure functions. */
final class SizeText {
    private static final double[] TIMES = {1, 2, 5, 10};
    private static final double ROOM = 0.7;
    private static final double LARGEST_MISS = 0.1;

    private SizeText() {}

    static List<String> lines(SizeResult result, int width) {
        SizeProfile profile = result.profile();
        List<String> lines = new ArrayList<>();
        add(lines, width, sustains(profile.least(), result.first()) + ", limited by: " + profile.limiter());
        add(
                lines,
                width,
                sustains(profile.least() + 1, result.more()) + ": each does " + Text.percent(profile.scaling())
                        + " of what it does with one fewer");
        if (profile.isMachineLimited()) {
            add(
                    lines,
                    width,
                    "! The machine is the limiter: its " + profile.processors() + " processors were "
                            + Text.percent(profile.machine() == null ? 1 : profile.machine())
                            + " busy. Instances on machines of"
                            + " their own can do more; only " + instances(profile.least()) + " counts below.");
        }
        if (profile.hasFallen()) {
            add(
                    lines,
                    width,
                    "! Rates that had been sustained no longer were: something got slower while it ran. Size it"
                            + " with its state at its full size, on a machine without other work.");
        }
        if (profile.work().serviceSeconds() > 0) {
            add(
                    lines,
                    width,
                    "A record takes " + time(profile.work().serviceSeconds()) + "; an instance handles up to "
                            + profile.work().concurrency() + " at once");
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "%14s%12s%20s", "records/s", "instances", "with 30 % to spare"));
        for (double times : TIMES) {
            double wanted = times * profile.instance().rate();
            lines.add(String.format(
                    Locale.ROOT,
                    "%14s%12s%20s",
                    Text.rate(wanted),
                    count(profile, wanted),
                    count(profile, wanted / ROOM)));
        }
        CheckResult verdict = result.verdict();
        if (verdict != null && !verdict.remedy().isEmpty()) {
            lines.add("");
            add(lines, width, "To make an instance do more: " + verdict.remedy());
        }
        return lines;
    }

    private static String count(SizeProfile profile, double wanted) {
        int count = profile.instancesFor(wanted);
        return count == 0 ? "none" : Text.count(count);
    }

    private static String instances(int count) {
        return count == 1 ? "1 instance" : count + " instances";
    }

    private static String sustains(int count, SearchStep.Found found) {
        return instances(count)
                + (count == 1 ? " sustains " : " sustain ")
                + (found.tooMuch() < Double.POSITIVE_INFINITY ? "" : "at least ")
                + Text.rate(found.rate()) + " records/s"
                + (found.tooMuch() < Double.POSITIVE_INFINITY ? ", not " + Text.rate(found.tooMuch()) : "");
    }

    private static String time(double seconds) {
        return Text.duration(Duration.ofNanos(Math.round(seconds * 1e9)));
    }

    private static void add(List<String> lines, int width, String text) {
        lines.addAll(Lines.wrap(text, width));
    }

    static Map<String, @Nullable Object> json(SizeResult result) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("profile", ProfileFile.json(result.profile()));
        json.put("scaling", result.profile().scaling());
        json.put("trials", result.trials().stream().map(SizeText::trial).toList());
        CheckResult verdict = result.verdict();
        json.put("verdict", verdict == null ? null : verdict.sentence());
        json.put("remedy", verdict == null ? null : verdict.remedy());
        return json;
    }

    private static Map<String, @Nullable Object> trial(Trial trial) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("instances", trial.instances());
        json.put("asked", trial.asked());
        json.put("offered", trial.seen().offered());
        json.put("handled", trial.seen().handled());
        json.put("slope", trial.seen().slope());
        json.put("lag", trial.seen().lag());
        json.put("seconds", trial.seen().seconds());
        json.put("keeps_up", trial.keepsUp());
        json.put("machine", Double.isFinite(trial.machine()) ? trial.machine() : null);
        return json;
    }

    /** Whether a second run came as near as it should. */
    static boolean isNear(double predicted, double rate) {
        return Math.abs(rate - predicted) <= LARGEST_MISS * predicted;
    }

    static String verified(int count, double predicted, SearchStep.Found found) {
        return sustains(count, found) + "; the plan says " + Text.rate(predicted) + ", which is "
                + Text.percent(Math.abs(found.rate() - predicted) / predicted) + " off: "
                + (isNear(predicted, found.rate()) ? "within 10 %" : "more than 10 %");
    }

    static Map<String, @Nullable Object> verifiedJson(int count, double predicted, SearchStep.Found found) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("instances", count);
        json.put("predicted", predicted);
        json.put("rate", found.rate());
        json.put("near", isNear(predicted, found.rate()));
        return json;
    }
}
