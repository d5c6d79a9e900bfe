package dev.laneway.ops.control;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import dev.laneway.ops.scale.ArrivalTrend;
import dev.laneway.ops.scale.SourceLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The load of a group, from what was observed of its partitions. Pure functions. What cannot be told is told as a
 * problem, never as a number.
 *
 * @param sources by topic; empty if there is a problem
 * @param members of the group, by its brokers
 * @param isStable whether the brokers say that the group does not rebalance
 * @param isRising whether the load of a topic has begun to rise since the last look
 * @param atMillis when brokers told it
 * @param problem why the load is not known, in a sentence; null if it is
 */
record LoadReading(
        List<SourceLoad> sources,
        int members,
        boolean isStable,
        boolean isRising,
        long atMillis,
        @Nullable String problem) {
    /** A committer that pauses for so many times its usual pause does not commit at its usual pace any more. */
    private static final double OVERDUE = 1.5;

    LoadReading {
        sources = List.copyOf(sources);
    }

    private static LoadReading problem(String sentence) {
        return new LoadReading(List.of(), 0, false, false, 0, sentence);
    }

    /**
     * Reads.
     *
     * @param window seconds over which rates are taken
     * @param least seconds of them that there must be
     */
    static LoadReading of(Observations seen, double window, double least) {
        List<Series> groups = seen.all(Groups.GROUP, "members");
        if (groups.isEmpty()) {
            return problem("no broker has told of the group yet");
        }
        Series group = groups.getFirst();
        long latest = group.points().getLast().atMillis();
        if (group.latest(window, 1).seconds() < least) {
            return problem("rates take at least " + Math.round(least) + " s to measure");
        }
        Map<String, Sum> topics = new TreeMap<>();
        for (Series end : seen.all(Groups.PARTITION, "end")) {
            Map<String, String> tags = end.metric().tags();
            String topic = tags.getOrDefault("topic", "");
            if (end.points().getLast().atMillis() != latest) {
                return problem("partition " + topic + "-" + tags.getOrDefault("partition", "")
                        + " could not be read in the latest look");
            }
            topics.computeIfAbsent(topic, _ -> new Sum()).add(seen, end, window);
        }
        if (topics.isEmpty()) {
            return problem("the group has no partitions yet");
        }
        List<SourceLoad> sources = new ArrayList<>();
        topics.forEach((name, sum) -> sources.add(sum.load(name)));
        boolean isRising = topics.values().stream().anyMatch(sum -> sum.trend().isRising());
        boolean isStable = seen.texts(Groups.GROUP, "state").stream()
                .anyMatch(text -> text.last().equalsIgnoreCase("stable"));
        return new LoadReading(sources, (int) group.last(), isStable, isRising, latest, null);
    }

    private static final class Sum {
        private int partitions;
        private double lag;
        private double append;
        private double process;
        private @Nullable Double longestWait;
        private ArrivalTrend.Count earlier = ArrivalTrend.Count.NONE;
        private ArrivalTrend.Count before = ArrivalTrend.Count.NONE;
        private ArrivalTrend.Count latest = ArrivalTrend.Count.NONE;

        void add(Observations seen, Series end, double window) {
            partitions++;
            Series ends = end.latest(window, 2);
            double came = ends.seconds() > 0 ? Math.max(0, ends.last() - ends.first()) : 0;
            append += ends.seconds() > 0 ? came / ends.seconds() : 0;
            int last = ends.points().size() - 1;
            if (last >= 3) {
                earlier = earlier.plus(came(ends, 0, last - 2));
                before = before.plus(came(ends, last - 2, last - 1));
                latest = latest.plus(came(ends, last - 1, last));
            }
            Series age = one(seen, end, "age-seconds");
            if (age != null && isSameEnd(age, end)) {
                longestWait = Math.max(age.last(), longestWait == null ? 0 : longestWait);
            }
            Series committed = one(seen, end, "committed");
            Series waiting = one(seen, end, "lag");
            if (waiting != null && isSameEnd(waiting, end)) {
                lag += Math.max(0, waiting.last());
            } else {
                lag += came; // Without a commit what came while it was watched waits, at least.
            }
            if (committed != null) {
                process += rate(committed.latest(window, 2));
            }
        }

        ArrivalTrend trend() {
            return ArrivalTrend.of(earlier, before, latest);
        }

        SourceLoad load(String topic) {
            return SourceLoad.of(topic, partitions, lag, append, process)
                    .withRisenRate(trend().risenRate())
                    .withLongestWait(longestWait);
        }
    }

    private static ArrivalTrend.Count came(Series ends, int from, int to) {
        Series.Point first = ends.points().get(from);
        Series.Point last = ends.points().get(to);
        return new ArrivalTrend.Count(
                Math.max(0, last.value() - first.value()), (last.atMillis() - first.atMillis()) / 1_000.0);
    }

    private static @Nullable Series one(Observations seen, Series end, String name) {
        return seen.one(
                        end.source(),
                        Metric.of(Groups.PARTITION, name, end.metric().tags()))
                .orElse(null);
    }

    private static boolean isSameEnd(Series one, Series other) {
        return one.points().getLast().atMillis() == other.points().getLast().atMillis();
    }

    /**
     * Records that are committed in a second. Commits come in steps, so that a window which begins or ends within one
     * tells too much or too little: as long as steps come as usual, from the first to the last of them.
     */
    static double rate(Series committed) {
        List<Series.Point> points = committed.points();
        Series.Point first = null;
        Series.Point last = null;
        long pause = 0;
        for (int i = 1; i < points.size(); i++) {
            if (points.get(i).value() != points.get(i - 1).value()) {
                if (last != null) {
                    pause = Math.max(pause, points.get(i).atMillis() - last.atMillis());
                }
                last = points.get(i);
                first = first == null ? last : first;
            }
        }
        if (first == null || committed.seconds() <= 0) {
            return 0;
        }
        Series.Point step = Objects.requireNonNull(last);
        long span = step.atMillis() - first.atMillis();
        boolean isUsual = points.getLast().atMillis() - step.atMillis() <= OVERDUE * pause;
        double rate = span > 0 && isUsual
                ? (step.value() - first.value()) * 1_000 / span
                : (committed.last() - committed.first()) / committed.seconds();
        return Math.max(0, rate);
    }
}
