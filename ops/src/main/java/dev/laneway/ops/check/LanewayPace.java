package dev.laneway.ops.check;

import dev.laneway.ops.check.LanewayPicture.Member;
import dev.laneway.ops.check.LanewayPicture.Unfinished;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How fast a Laneway works, in the latest ten seconds of a watch: what the rules about it compare with, and whoever
 * shows it beside them. Immutable.
 *
 * @param seconds how long these are; 0 if it was looked at once
 * @param done records that were processed in them, {@code failed} attempts that failed
 * @param busyShare of its concurrency, 0 to 1
 * @param waitingShare of the busy time: handlers waited for something
 * @param attemptSeconds the mean time of an attempt; of an earlier time if none has ended; null if none ever has
 * @param usualSeconds the shortest such mean of an earlier time of the watch; null if there is none
 * @param stuckSeconds a record that is unfinished for longer is stuck, see {@link #isStuck}
 */
public record LanewayPace(
        double seconds,
        double done,
        double failed,
        double busyShare,
        double waitingShare,
        @Nullable Double attemptSeconds,
        @Nullable Double usualSeconds,
        double stuckSeconds) {
    /** Attempts that take so long and have not ended are no measure of what others take. */
    private static final double LONG_SECONDS = 0.5;
    /** A mean of fewer attempts is none. */
    private static final int ENOUGH = 20;

    /** If so many records ended at an age at which one would be called stuck, that is no news. */
    private static final int SLOW_ENDS = 3;

    private static final double TIMES_SLOW = 3;
    private static final double NOW_MILLIS = 1e3 * LanewayPicture.NOW_SECONDS;
    /** That no record ended in less time is no news. */
    private static final double WATCHED_SECONDS = 8;

    private static final double MINUTE_MILLIS = 60_000;

    /** Of the Laneway that a source told of; empty if it told of none. */
    public static Optional<LanewayPace> of(Observations seen, String source, Thresholds limits) {
        return LanewayPicture.of(seen).stream()
                .filter(member -> member.source().equals(source))
                .findFirst()
                .map(member -> of(member, limits));
    }

    static LanewayPace of(Member member, Thresholds limits) {
        double busy = member.growth("busy-ns-total");
        double all = busy + member.growth("idle-ns-total");
        double done = member.growth("processed-total");
        double failed = member.growth("failed-attempts-total");
        Course course = new Course(member);
        Double mean = course.latest(member.unfinished());
        return new LanewayPace(
                course.seconds(course.now(), course.size() - 1),
                done,
                failed,
                all == 0 ? 0 : Math.min(1, busy / all),
                busy == 0 ? 0 : Math.min(1, member.growth("blocked-ns-total") / busy),
                mean,
                course.usual(),
                Math.max(stuckAfter(done, failed, mean, limits), TIMES_SLOW * slow(member, limits)));
    }

    /**
     * What slow records take where they are many, as batches are, and those of a slow key: the median; 0 if few are.
     */
    private static double slow(Member member, Thresholds limits) {
        double[] ages = member.endedAges()
                .filter(age -> age >= limits.of(Threshold.STUCK_SECONDS))
                .sorted()
                .toArray();
        return ages.length < SLOW_ENDS ? 0 : ages[ages.length / 2];
    }

    private static double stuckAfter(double done, double failed, @Nullable Double mean, Thresholds limits) {
        double asOthers = mean == null ? 0 : limits.of(Threshold.STUCK_TIMES) * mean;
        if (done > 0) {
            return Math.max(limits.of(Threshold.STUCK_SECONDS), asOthers);
        }
        double alone = limits.of(Threshold.STUCK_ALONE_SECONDS);
        return failed > 0 ? alone : Math.max(alone, asOthers);
    }

    /**
     * Whether a record that is unfinished for so long is stuck; where none has ended, once that was watched a while.
     */
    public boolean isStuck(double unfinishedSeconds) {
        return unfinishedSeconds > stuckSeconds && (done > 0 || seconds >= WATCHED_SECONDS);
    }

    /** Whether records take much longer than they did. */
    boolean isSlower(Thresholds limits) {
        return attemptSeconds != null
                && usualSeconds != null
                && attemptSeconds >= limits.of(Threshold.SLOWER) * usualSeconds;
    }

    /** The looks, in milliseconds, with the attempts that ended and the busy seconds, both as sums up to each. */
    private static final class Course {
        private final double[] at;
        private final double[] ended;
        private final double[] busy;

        Course(Member member) {
            at = member.one("busy-ns-total")
                    .map(series -> series.points().stream()
                            .mapToDouble(Series.Point::atMillis)
                            .toArray())
                    .orElse(new double[1]);
            ended = sums(member, "processed-total", at.length);
            double[] failed = sums(member, "failed-attempts-total", at.length);
            busy = sums(member, "busy-ns-total", at.length);
            for (int i = 0; i < at.length; i++) {
                ended[i] += failed[i];
                busy[i] /= 1e9;
            }
        }

        /** How much a counter grew up to each of the latest looks; one that was reset counts from 0 on. */
        private static double[] sums(Member member, String counter, int looks) {
            double[] sums = new double[looks];
            List<Series.Point> points = member.one(counter).map(Series::points).orElse(List.of());
            for (int i = Math.max(1, looks - points.size() + 1); i < looks; i++) {
                double value = points.get(points.size() - looks + i).value();
                double step = value - points.get(points.size() - looks + i - 1).value();
                sums[i] = sums[i - 1] + (step >= 0 ? step : value);
            }
            return sums;
        }

        int size() {
            return at.length;
        }

        double seconds(int from, int to) {
            return Math.max(0, at[to] - at[from]) / 1e3;
        }

        /** The first look of the latest seconds: as {@link Series#latest} has it. */
        int now() {
            int last = size() - 1;
            int first = Math.max(0, last - 1);
            while (first > 0 && at[last] - at[first - 1] <= NOW_MILLIS) {
                first--;
            }
            return first;
        }

        private double mean(int from, int to) {
            return (busy[to] - busy[from]) / (ended[to] - ended[from]);
        }

        /** Of the latest seconds; where nothing ended in them, of the minute before the last end. */
        @Nullable
        Double latest(List<Unfinished> unfinished) {
            int last = size() - 1;
            int from = now();
            if (ended[last] > ended[from]) {
                double window = seconds(from, last);
                double own = unfinished.stream()
                        .mapToDouble(Unfinished::seconds)
                        .filter(age -> age >= LONG_SECONDS)
                        .map(age -> Math.min(age, window))
                        .sum();
                return Math.max(0, busy[last] - busy[from] - own) / (ended[last] - ended[from]);
            }
            int end = from;
            while (end > 0 && ended[end] <= ended[end - 1]) {
                end--;
            }
            int begin = Math.max(0, end - 1);
            while (begin > 0 && at[end] - at[begin - 1] <= MINUTE_MILLIS) {
                begin--;
            }
            return end > 0 ? (Double) mean(begin, end) : null;
        }

        /** The shortest mean of any stretch as long as the latest seconds, before these. */
        @Nullable
        Double usual() {
            Double shortest = null;
            int end = 1;
            for (int begin = 0; begin < now(); begin++) {
                end = Math.max(end, begin + 1);
                while (end < now() && at[end] - at[begin] < NOW_MILLIS) {
                    end++;
                }
                boolean isWhole = at[end] - at[begin] >= NOW_MILLIS;
                if (isWhole && ended[end] - ended[begin] >= ENOUGH) {
                    double mean = mean(begin, end);
                    shortest = shortest == null ? mean : Math.min(shortest, mean);
                }
            }
            return shortest;
        }
    }
}
