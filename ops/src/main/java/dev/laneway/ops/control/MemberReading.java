package dev.laneway.ops.control;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How busy the members of a group are, from what their processes told. Pure functions. A share is known only if all
 * members were seen: the busiest one could be the one that was not.
 *
 * @param busyShare the busiest member's, 0 to 1; null if not known
 * @param meanShare the mean of all members' shares, 0 to 1; null if not known
 * @param cpuShare the highest processor use of a process, 0 to 1; null if not known
 */
record MemberReading(
        @Nullable Double busyShare,
        @Nullable Double meanShare,
        @Nullable Double cpuShare) {
    private static final MemberReading UNKNOWN = new MemberReading(null, null, null);

    private static final String CONSUMER = "consumer-metrics";
    private static final String COORDINATOR = "consumer-coordinator-metrics";
    private static final String THREAD = "stream-thread-metrics";

    /**
     * Reads.
     *
     * @param processes that there must be at least; 0 if that is not known
     * @param members of the group, by its brokers
     * @param since what was told earlier than at this time is of the past
     */
    static MemberReading of(Observations seen, double window, int processes, int members, long since) {
        Map<String, SeenProcess> told = new HashMap<>();
        for (Series busy : current(seen, Groups.LANEWAY, "busy-ns-total", since)) {
            process(told, busy).laneway(share(seen, busy, window));
        }
        for (Series poll : current(seen, THREAD, "poll-ratio", since)) {
            process(told, poll).thread(isShare(poll.last()) ? (Double) (1 - poll.last()) : null);
        }
        for (Series rebalance : current(seen, COORDINATOR, "rebalance-total", since)) {
            process(told, rebalance).consumer(consumer(seen, rebalance, since));
        }
        int consumers = told.values().stream().mapToInt(SeenProcess::count).sum();
        if (told.isEmpty() || told.size() < processes || consumers < members) {
            return UNKNOWN;
        }
        Shares all = new Shares();
        told.values().forEach(process -> all.add(process.shares()));
        return new MemberReading(all.most(), all.mean(), processors(seen, told, window));
    }

    private static SeenProcess process(Map<String, SeenProcess> told, Series series) {
        return told.computeIfAbsent(series.source(), _ -> new SeenProcess());
    }

    private static List<Series> current(Observations seen, String group, String name, long since) {
        return seen.all(group, name, series -> series.points().getLast().atMillis() >= since);
    }

    private static boolean isShare(double value) {
        return value >= 0 && value <= 1;
    }

    /** The share of its concurrency that a Laneway was busy. */
    private static @Nullable Double share(Observations seen, Series busy, double window) {
        double worked = busy.latest(window, 2).growth();
        double idled = seen.one(
                        busy.source(),
                        Metric.of(Groups.LANEWAY, "idle-ns-total", busy.metric().tags()))
                .map(idle -> idle.latest(window, 2).growth())
                .orElse(0.0);
        return worked + idled > 0 ? (Double) Math.min(1, worked / (worked + idled)) : null;
    }

    /**
     * The share of its time that a consumer's thread was not in poll. Kafka's ratio is the time in poll against that
     * plus the whole cycle, so the true one is r / (1 - r): KAFKA-17503.
     */
    private static @Nullable Double consumer(Observations seen, Series rebalance, long since) {
        Optional<Series> idle = seen.one(
                rebalance.source(),
                Metric.of(CONSUMER, "poll-idle-ratio-avg", rebalance.metric().tags()));
        if (idle.isEmpty() || idle.get().points().getLast().atMillis() < since) {
            return null;
        }
        double ratio = idle.get().last();
        return ratio >= 0 && ratio < 1 ? (Double) (1 - Math.min(1, ratio / (1 - ratio))) : null;
    }

    private static @Nullable Double processors(Observations seen, Map<String, SeenProcess> told, double window) {
        Double most = null;
        for (String source : new TreeSet<>(told.keySet())) {
            Double share = processors(seen, source, window);
            most = share == null ? most : (Double) Math.max(share, most == null ? 0 : most);
        }
        return most;
    }

    private static @Nullable Double processors(Observations seen, String source, double window) {
        Double share = jvm(seen, source, "process-cpu-share").map(Series::last).orElse(null);
        if (share == null) {
            double nanos = jvm(seen, source, "process-cpu-ns-total")
                    .map(series -> series.latest(window, 2).rate())
                    .orElse(Double.NaN);
            double cores =
                    jvm(seen, source, "available-processors").map(Series::last).orElse(Double.NaN);
            share = nanos / 1e9 / cores;
        }
        return Double.isFinite(share) && share >= 0 ? (Double) Math.min(1, share) : null;
    }

    private static Optional<Series> jvm(Observations seen, String source, String name) {
        return seen.one(source, Metric.of(Groups.JVM, name));
    }

    /** What one process told. The threads that process records count, not those that only fetch them. */
    private static final class SeenProcess {
        private final Shares laneways = new Shares();
        private final Shares threads = new Shares();
        private final Shares consumers = new Shares();

        void laneway(@Nullable Double busy) {
            laneways.add(busy);
        }

        void thread(@Nullable Double busy) {
            threads.add(busy);
        }

        void consumer(@Nullable Double busy) {
            consumers.add(busy);
        }

        /** Members that it is, at least. */
        int count() {
            return Math.max(consumers.number, Math.max(laneways.number, threads.number));
        }

        Shares shares() {
            return laneways.number > 0 ? laneways : threads.number > 0 ? threads : consumers;
        }
    }

    /** Some shares; unknown as soon as one is. */
    private static final class Shares {
        private int number;
        private double most;
        private double sum;
        private boolean isUnknown;

        void add(@Nullable Double share) {
            number++;
            isUnknown |= share == null;
            most = share == null ? most : Math.max(most, share);
            sum += share == null ? 0 : share;
        }

        void add(Shares other) {
            number += other.number;
            isUnknown |= other.isUnknown;
            most = Math.max(most, other.most);
            sum += other.sum;
        }

        @Nullable
        Double most() {
            return isUnknown ? null : (Double) most;
        }

        @Nullable
        Double mean() {
            return isUnknown || number == 0 ? null : (Double) (sum / number);
        }
    }
}
