package dev.laneway.cli;

import dev.laneway.cli.program.Lines;
import dev.laneway.cli.program.Text;
import dev.laneway.ops.GroupLag;
import dev.laneway.ops.LagAge;
import dev.laneway.ops.LagStatus;
import dev.laneway.ops.PartitionLag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The lag of a group as lines of text. Pure functions. */
final class LagTable {
    private static final int NARROW = 43; // What the columns take beside the partition's name.
    private static final int WIDE = 99;
    private static final int LEAST_NAME = 8;
    private static final int MOST_NAME = 60;
    private static final int MOST_NOTES = 3;
    private static final String UNKNOWN = "?";

    private LagTable() {}

    /** One line about the group as a whole. */
    static String headline(GroupLag group) {
        String lag = Text.count(group.knownLag()) + (group.isComplete() ? "" : " or more");
        return group.group() + ": " + group.status() + ", lag " + lag + ", clear: " + clear(group.secondsToClear())
                + " (" + group.kind().name().toLowerCase(Locale.ROOT) + ", " + group.state() + ", "
                + (group.members().size() == 1 ? "1 member" : group.members().size() + " members") + ")";
    }

    /** The headline, the partitions with the most lag, and what is not in order. */
    static List<String> lines(GroupLag group, int width, boolean unicode, int top) {
        List<String> lines = new ArrayList<>(Lines.wrap(headline(group), width));
        group.problems().forEach(problem -> lines.addAll(Lines.wrap("  ! " + problem, width)));
        if (isRebalancing(group)) {
            lines.addAll(Lines.wrap("  ! the group is rebalancing: its offsets may stand meanwhile", width));
        }
        List<PartitionLag> shown =
                group.partitions().subList(0, Math.min(top, group.partitions().size()));
        if (shown.isEmpty()) {
            lines.addAll(
                    Lines.wrap("  no partitions: the group has committed nothing and its members have none", width));
            return lines;
        }
        boolean isWide = width >= WIDE + LEAST_NAME;
        int names = Math.clamp(width - (isWide ? WIDE : NARROW), LEAST_NAME, MOST_NAME);
        lines.add(Lines.cut(
                isWide
                        ? String.format(
                                Locale.ROOT,
                                "%-" + names + "s%14s%14s%11s%9s%9s%10s  %c%13s%9s %s",
                                "partition",
                                "committed",
                                "end",
                                "lag",
                                "in/s",
                                "out/s",
                                "done",
                                ' ',
                                "waits",
                                "clear",
                                "status")
                        : String.format(
                                Locale.ROOT,
                                "%-" + names + "s%11s %c%13s%9s %s",
                                "partition",
                                "lag",
                                ' ',
                                "waits",
                                "clear",
                                "status"),
                width));
        shown.forEach(partition -> lines.add(Lines.cut(row(partition, names, isWide, unicode), width)));
        if (shown.size() < group.partitions().size()) {
            lines.add("  and " + (group.partitions().size() - shown.size()) + " partitions more");
        }
        notes(shown).forEach(note -> lines.addAll(Lines.wrap(note, width)));
        return lines;
    }

    private static boolean isRebalancing(GroupLag group) {
        return switch (group.state()) {
            case "PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling" -> true;
            default -> false;
        };
    }

    private static String row(PartitionLag lag, int names, boolean isWide, boolean unicode) {
        String name = Lines.shorten(lag.partition().toString(), names - 1);
        String records = lag.lag() != null
                ? Text.count(lag.lag())
                : lag.atMost() != null ? "<=" + Text.count(lag.atMost()) : UNKNOWN;
        String clear = clear(lag.secondsToClear());
        if (!isWide) {
            return String.format(
                    Locale.ROOT,
                    "%-" + names + "s%11s %s%13s%9s %s",
                    name,
                    records,
                    trend(lag.slope(), unicode),
                    waits(lag.age(), unicode),
                    clear,
                    lag.status());
        }
        return String.format(
                Locale.ROOT,
                "%-" + names + "s%14s%14s%11s%9s%9s%10s  %s%13s%9s %s",
                name,
                count(lag.committed()),
                count(lag.end()),
                records,
                rate(lag.appendRate()),
                rate(lag.processRate()),
                lag.doneBeyond() == 0 ? "" : Text.count(lag.doneBeyond()),
                trend(lag.slope(), unicode),
                waits(lag.age(), unicode),
                clear,
                lag.status());
    }

    /** What the statuses rest on, once each, where not all is well. */
    private static List<String> notes(List<PartitionLag> shown) {
        return shown.stream()
                .filter(lag -> lag.status() != LagStatus.OK || !lag.isComplete())
                .limit(MOST_NOTES)
                .map(lag -> "  " + lag.partition() + ": " + lag.evidence())
                .toList();
    }

    private static String count(@Nullable Long value) {
        return value == null ? UNKNOWN : Text.count(value);
    }

    private static String rate(@Nullable Double value) {
        return value == null ? UNKNOWN : Text.rate(value);
    }

    private static String trend(@Nullable Double slope, boolean unicode) {
        if (slope == null) {
            return " ";
        }
        boolean isFlat = Math.abs(slope) < 0.05;
        return unicode ? isFlat ? "→" : slope > 0 ? "↑" : "↓" : isFlat ? "=" : slope > 0 ? "+" : "-";
    }

    /** With the error bar. */
    static String waits(@Nullable LagAge age, boolean unicode) {
        if (age == null) {
            return UNKNOWN;
        }
        if (age.high() == 0) {
            return "-";
        }
        if (!age.isBounded()) {
            return ">" + seconds(age.low());
        }
        return seconds(age.seconds()) + (unicode ? "±" : "+-") + seconds(age.error());
    }

    static String clear(@Nullable Double seconds) {
        if (seconds == null) {
            return UNKNOWN;
        }
        return seconds == 0 ? "now" : seconds.isInfinite() ? "never" : seconds(seconds);
    }

    /** One number and a unit without a space: columns are narrow. */
    static String seconds(double seconds) {
        if (seconds < 10) {
            return String.format(Locale.ROOT, "%.1fs", seconds);
        }
        Duration whole = Duration.ofSeconds(Math.round(Math.min(seconds, 1e12)));
        if (whole.toSeconds() < 600) {
            return whole.toSeconds() + "s";
        }
        return whole.toMinutes() < 600
                ? whole.toMinutes() + "min"
                : whole.toHours() < 96 ? whole.toHours() + "h" : whole.toDays() + "d";
    }
}
