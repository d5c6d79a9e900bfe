package dev.laneway.dashboard;

import dev.laneway.Counters;
import dev.laneway.Health;
import dev.laneway.PartitionSnapshot;
import dev.laneway.Snapshot;
import dev.laneway.Utilisation;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What the latest seconds tell of a consumer: what {@link LanewayJudge} judges. Immutable.
 *
 * @param seconds how long the window is; 0 at the first look
 * @param doneRate records a second in the window
 * @param done records in the window, {@code failed} attempts
 * @param busy share of the concurrency in use; null at the first look
 * @param waiting share of that in which handlers waited; null if nothing ran
 * @param attemptSeconds the mean time of an attempt in the window; null if none ended
 * @param usualSeconds the shortest such mean of an earlier time; null if there is none
 * @param rebalances in the last minute, but for those of the start
 * @param cpu share of all processors that this process uses; negative if it is not known
 * @param slopes of the lag; null if not known yet
 */
record Signs(
        Snapshot snapshot,
        Health health,
        double seconds,
        double doneRate,
        long done,
        long failed,
        @Nullable Double busy,
        @Nullable Double waiting,
        @Nullable Double attemptSeconds,
        @Nullable Double usualSeconds,
        long rebalances,
        double cpu,
        @Nullable Long lag,
        Clearing.@Nullable Slopes slopes,
        double appended) {

    /** The latest looks. Used by one thread. */
    static final class Window {
        private static final double SECONDS = 10;
        private static final double MINUTE = 60;
        private static final double LONG = 0.5;
        /** Members that start join one after the other: that is no news. */
        private static final double START = 5;
        /** A mean of fewer attempts is not remembered as the usual one. */
        private static final int ENOUGH = 20;

        private final Deque<Look> looks = new ArrayDeque<>();
        private final Deque<Double> rebalancesAt = new ArrayDeque<>();
        private long rebalances = -1;
        private double startedAt;
        private @Nullable Double usual;

        private record Look(double at, Counters counters, Utilisation utilisation) {}

        Signs add(
                double now,
                Snapshot snapshot,
                Health health,
                double cpu,
                @Nullable Long lag,
                Clearing.@Nullable Slopes slopes,
                double appended) {
            Look last = new Look(now, snapshot.counters(), snapshot.utilisation());
            keep(last);
            rebalances(now, snapshot.counters().rebalances());
            Look first = looks.getFirst();
            double seconds = now - first.at;
            long done = last.counters.processed() - first.counters.processed();
            long failed = last.counters.failedAttempts() - first.counters.failedAttempts();
            double busyNanos = last.utilisation.busyNanos() - first.utilisation.busyNanos();
            double blocked = last.utilisation.blockedNanos() - first.utilisation.blockedNanos();
            // Attempts that have not ended would make the mean of those that have look longer than it is.
            double unfinished = snapshot.partitions().stream()
                    .mapToDouble(Signs::unfinished)
                    .filter(age -> age >= LONG)
                    .map(age -> Math.min(age, seconds))
                    .sum();
            double own = Math.max(0, busyNanos / 1e9 - unfinished);
            Double mean = done + failed == 0 ? null : (Double) (own / (done + failed));
            Double before = usual;
            if (mean != null && done + failed >= ENOUGH && looks.size() > 2) {
                usual = usual == null ? mean : Math.min(usual, mean);
            }
            return new Signs(
                    snapshot,
                    health,
                    seconds,
                    seconds <= 0 ? 0 : done / seconds,
                    done,
                    failed,
                    seconds <= 0 ? null : (Double) last.utilisation.since(first.utilisation),
                    busyNanos <= 0 ? null : (Double) Math.clamp(blocked / busyNanos, 0.0, 1.0),
                    mean,
                    before,
                    rebalancesAt.size(),
                    cpu,
                    lag,
                    slopes,
                    appended);
        }

        private void keep(Look last) {
            looks.addLast(last);
            while (looks.size() > 2 && last.at - looks.getFirst().at > SECONDS) {
                looks.removeFirst();
            }
        }

        /** Several at one look are one: each member of this process reports the same one. */
        private void rebalances(double now, long all) {
            if (rebalances < 0) {
                startedAt = now;
            } else if (all > rebalances && now - startedAt > START) {
                rebalancesAt.addLast(now);
            }
            rebalances = all;
            while (!rebalancesAt.isEmpty() && now - rebalancesAt.getFirst() > MINUTE) {
                rebalancesAt.removeFirst();
            }
        }
    }

    /** For how many seconds the oldest record of a partition is unfinished; 0 if there is none. */
    static double unfinished(PartitionSnapshot one) {
        return one.oldestAge().map(age -> age.toMillis() / 1e3).orElse(0.0);
    }
}
