package dev.laneway.cli;

import dev.laneway.cli.program.Lines;
import dev.laneway.cli.program.Text;
import dev.laneway.ops.CommitMap.Run;
import dev.laneway.ops.CommitMetadata;
import dev.laneway.ops.CommitTotals;
import dev.laneway.ops.GroupCommits;
import dev.laneway.ops.PartitionCommit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a group has committed as lines of text. Pure functions. */
final class OffsetsDescribeTable {
    private static final int LEAST_NAME = 6;
    private static final int ROOMY_NAME = 16;
    private static final int MOST_RANGES = 5;
    private static final String UNKNOWN = "?";
    private static final String INDENT = "    ";
    private static final Comparator<PartitionCommit> WORST_FIRST = Comparator.comparing(
                    (PartitionCommit commit) -> commit.warnings().isEmpty())
            .thenComparing(Comparator.comparingLong(
                            (PartitionCommit commit) -> commit.lag() == null ? Long.MAX_VALUE : commit.lag())
                    .reversed())
            .thenComparing(commit -> commit.partition().topic())
            .thenComparingInt(commit -> commit.partition().partition());

    private OffsetsDescribeTable() {}

    /** The columns behind the partition's name. */
    private enum Column {
        COMMITTED("committed", 1),
        EPOCH("epoch", 2),
        START("start", 2),
        END("end", 2),
        LAG("lag", 0),
        DONE("done", 0),
        TO_DO("to do", 0);

        private final String title;
        private final int rank; // The highest go first where there is no room.

        Column(String title, int rank) {
            this.title = title;
            this.rank = rank;
        }

        String text(PartitionCommit commit) {
            return switch (this) {
                case COMMITTED -> commit.committed() == null ? "none" : Text.count(commit.committed());
                case EPOCH ->
                    commit.leaderEpoch() == null ? "-" : commit.leaderEpoch().toString();
                case START -> count(commit.start());
                case END -> count(commit.end());
                case LAG -> count(commit.lag());
                case DONE -> commit.doneBeyond() == 0 ? "-" : Text.count(commit.doneBeyond());
                case TO_DO -> count(commit.toDo());
            };
        }

        /** With the space before it. */
        int width(List<PartitionCommit> shown) {
            return 1 + shown.stream().mapToInt(commit -> text(commit).length()).reduce(title.length(), Math::max);
        }
    }

    /** The columns that there is room for, and how wide each is. */
    private record Layout(int names, Map<Column, Integer> widths) {
        static Layout of(List<PartitionCommit> shown, int width) {
            int longest = shown.stream()
                    .mapToInt(commit -> commit.partition().toString().length())
                    .reduce("partition".length(), Math::max);
            Layout layout = of(shown, width, longest, 2);
            for (int rank = 1; rank >= 0 && layout.names < Math.min(longest, ROOMY_NAME); rank--) {
                layout = of(shown, width, longest, rank);
            }
            return layout;
        }

        private static Layout of(List<PartitionCommit> shown, int width, int longest, int rank) {
            Map<Column, Integer> widths = new EnumMap<>(Column.class);
            int left = width;
            for (Column column : Column.values()) {
                if (column.rank <= rank) {
                    widths.put(column, column.width(shown));
                    left -= column.width(shown);
                }
            }
            return new Layout(Math.clamp(left, LEAST_NAME, Math.max(LEAST_NAME, longest)), widths);
        }

        String line(String name, Function<Column, String> value) {
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-" + names + "s", name));
            widths.forEach((column, columns) ->
                    line.append(String.format(Locale.ROOT, "%" + columns + "s", value.apply(column))));
            return line.toString();
        }
    }

    static List<String> lines(GroupCommits commits, int width, int top) {
        List<String> lines = new ArrayList<>(Lines.wrap(headline(commits), width));
        commits.problems().forEach(problem -> lines.addAll(Lines.wrap("  ! " + problem, width)));
        if (commits.partitions().isEmpty()) {
            lines.addAll(Lines.wrap("  the group has committed nothing, and its members have no partitions", width));
            return lines;
        }
        if (commits.totalsByTopic().size() > 1) {
            commits.totalsByTopic().entrySet().stream()
                    .limit(top)
                    .forEach(each -> lines.addAll(Lines.wrap("  " + topic(each.getKey(), each.getValue()), width)));
        }
        List<PartitionCommit> shown =
                commits.partitions().stream().sorted(WORST_FIRST).limit(top).toList();
        Layout layout = Layout.of(shown, width);
        lines.add(Lines.cut(layout.line(Lines.cut("partition", layout.names), column -> column.title), width));
        for (PartitionCommit commit : shown) {
            String name = Lines.shorten(commit.partition().toString(), layout.names);
            lines.add(Lines.cut(layout.line(name, column -> column.text(commit)), width));
            details(commit, commits.metadataLimit(), layout)
                    .forEach(detail -> lines.addAll(Lines.wrap(INDENT + detail, width)));
        }
        int left = commits.partitions().size() - shown.size();
        if (left > 0) {
            lines.addAll(Lines.wrap("  and " + partitions(left) + " more: see --top, or --json for all", width));
        }
        restart(commits.totals(), width, lines);
        return lines;
    }

    private static String headline(GroupCommits commits) {
        return commits.group() + ": " + sums(commits.totals(), commits.isComplete()) + " ("
                + commits.kind().name().toLowerCase(Locale.ROOT) + ", " + commits.state() + ", "
                + (commits.members() == 1 ? "1 member" : commits.members() + " members") + ")";
    }

    private static String topic(String topic, CommitTotals totals) {
        return topic + ": " + sums(totals, true);
    }

    private static String sums(CommitTotals totals, boolean isComplete) {
        return partitions(totals.partitions())
                + (totals.uncommitted() == 0 ? "" : ", " + Text.count(totals.uncommitted()) + " without a commit")
                + (totals.warned() == 0 ? "" : ", " + Text.count(totals.warned()) + " with warnings")
                + "; lag " + Text.count(totals.lag()) + (isComplete ? "" : " or more") + ", "
                + Text.count(totals.doneBeyond()) + " done, " + Text.count(totals.toDo()) + " to do";
    }

    /** Only where there is something to say: most partitions have one line. */
    private static List<String> details(PartitionCommit commit, @Nullable Integer limit, Layout layout) {
        boolean hidesEpoch = commit.leaderEpoch() != null && !layout.widths.containsKey(Column.EPOCH);
        List<String> details = new ArrayList<>();
        CommitMetadata metadata = commit.metadata();
        if (metadata.chars() > 0) {
            details.add(whose(metadata) + ", " + Text.count(metadata.chars())
                    + (limit == null
                            ? " characters (a broker takes 4,096 by default)"
                            : " of " + Text.count(limit) + " characters")
                    + (hidesEpoch ? "; leader epoch " + commit.leaderEpoch() : ""));
        }
        Long lastDone = commit.lastDone();
        if (lastDone != null) {
            String undone = commit.undone().isEmpty() ? "" : "undone " + ranges(commit.undone()) + "; ";
            details.add(undone + "done up to " + Text.count(lastDone));
        }
        if (!metadata.keys().isEmpty()) {
            int keys = metadata.keys().size();
            Integer laneKey = metadata.laneKey();
            details.add((keys == 1 ? "1 spilled key" : Text.count(keys) + " spilled keys")
                    + (laneKey == null
                            ? ""
                            : " by a lane key whose id has hash "
                                    + HexFormat.of().toHexDigits(laneKey))
                    + ", the first from "
                    + Text.count(metadata.keys().getFirst().from())
                    + " on: their later records are undone, but counted as done");
        }
        commit.warnings().forEach(warning -> details.add("! " + warning));
        return details;
    }

    private static String whose(CommitMetadata metadata) {
        String form = metadata.encoding() == null ? " that cannot be read" : " (" + metadata.encoding() + ")";
        return switch (metadata.writer()) {
            case NONE -> "no metadata";
            case LANEWAY -> "Laneway's map" + form;
            case PARALLEL_CONSUMER -> "Parallel Consumer's map" + form;
            case KAFKA_STREAMS -> "a time of Kafka Streams";
            case OTHER -> "text of another program or of the user";
        };
    }

    /** First and last offsets. */
    private static String ranges(List<Run> runs) {
        String shown = runs.stream()
                .limit(MOST_RANGES)
                .map(OffsetsDescribeTable::range)
                .collect(Collectors.joining("; "));
        int left = runs.size() - MOST_RANGES;
        return left <= 0 ? shown : shown + " and " + Text.count(left) + (left == 1 ? " range more" : " ranges more");
    }

    private static String range(Run run) {
        return run.length() == 1 ? Text.count(run.from()) : Text.count(run.from()) + "-" + Text.count(run.to() - 1);
    }

    private static void restart(CommitTotals totals, int width, List<String> lines) {
        if (totals.doneBeyond() > 0) {
            lines.addAll(Lines.wrap(
                    "A restart that reads the maps skips what is done. A consumer that does not read them handles "
                            + Text.count(totals.doneBeyond()) + " again.",
                    width));
        }
    }

    private static String count(@Nullable Long value) {
        return value == null ? UNKNOWN : Text.count(value);
    }

    private static String partitions(int count) {
        return count == 1 ? "1 partition" : Text.count(count) + " partitions";
    }
}
