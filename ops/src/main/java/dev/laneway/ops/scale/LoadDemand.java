package dev.laneway.ops.scale;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the load takes, in members that would be busy all the time: the true processing rate of DS2, for all sources at
 * once. Pure functions of the metrics.
 *
 * @param isKnown whether the rest is known
 * @param isObserved whether the rate that was seen counts, not that by busy time
 * @param work members that what comes in keeps busy
 * @param backlog seconds for which what waits would keep one member busy
 * @param capacity records a second that the members could do
 * @param parts by source
 */
record LoadDemand(boolean isKnown, boolean isObserved, double work, double backlog, double capacity, List<Part> parts) {
    private static final LoadDemand UNKNOWN = new LoadDemand(false, false, 0, 0, 0, List.of());

    /** Below this, busy time tells more of the clock than of the work. */
    private static final double LEAST_BUSY = 0.01;

    /** More than any group has, and few enough to reckon with. */
    private static final double MOST = 1e9;

    /**
     * The demand of one source.
     *
     * @param append records that come in a second, or will when what feeds this source has caught up
     * @param cost busy seconds of a member for each record
     */
    record Part(SourceLoad source, double append, double cost) {}

    static LoadDemand of(ScalingMetrics metrics, ScalingPolicy policy) {
        double append = 0;
        double process = 0;
        double lag = 0;
        boolean isBySource = true;
        for (SourceLoad source : metrics.sources()) {
            append += source.appendRate(policy);
            process += source.processRate();
            lag += source.lag();
            isBySource &= source.busyShare() != null;
        }
        int members = metrics.shape().members();
        if (process <= 0 || members == 0) {
            return append > 0 || lag > 0 || members == 0
                    ? UNKNOWN
                    : new LoadDemand(true, false, 0, 0, 0, parts(metrics, policy, 0, false, 0));
        }
        Double busy = busyShare(metrics, policy);
        double lagSeconds = metrics.lagSeconds();
        boolean isBehind = append > process && lagSeconds > policy.get(ScalingOption.OBSERVED_LAG);
        if (busy == null && !isBehind) {
            return UNKNOWN;
        }
        double share = busy == null ? 1 : Math.min(1, Math.max(LEAST_BUSY, busy));
        boolean isObserved = isBehind && (busy == null || 1 / share > 1 + policy.get(ScalingOption.OBSERVED_EXCESS));
        if (isObserved) {
            share = 1;
        }
        double scale = isObserved && busy != null ? 1 / Math.max(LEAST_BUSY, busy) : 1;
        // Members beyond the partitions do nothing, however busy the busiest is.
        int working = Math.min(members, UsefulCounts.of(metrics).largest());
        List<Part> parts = parts(metrics, policy, share * working / process, isBySource, scale * working);
        double work = 0;
        double backlog = 0;
        for (Part part : parts) {
            work += part.append() * part.cost();
            backlog += part.source().lag() * part.cost();
        }
        return new LoadDemand(true, isObserved, Math.min(MOST, work), Math.min(MOST, backlog), process / share, parts);
    }

    /**
     * Whose busy share counts. Without a goal that of the busiest member, since nothing else tells that it is about to
     * be too slow. With one that of all, until the busiest keeps records waiting for longer: room that no record needs
     * is not paid for.
     */
    private static @Nullable Double busyShare(ScalingMetrics metrics, ScalingPolicy policy) {
        double goal = policy.get(ScalingOption.LATENCY_GOAL);
        Double mean = metrics.meanBusyShare();
        Double longest = metrics.longestWaitSeconds();
        return goal > 0 && mean != null && longest != null && longest <= goal ? mean : metrics.busyShare();
    }

    /** Costs are common, or each source's own busy share of so many members. */
    private static List<Part> parts(
            ScalingMetrics metrics, ScalingPolicy policy, double commonCost, boolean isBySource, double ownScale) {
        Map<String, SourceLoad> byName = new HashMap<>();
        boolean isFed = false;
        for (SourceLoad source : metrics.sources()) {
            byName.put(source.name(), source);
            isFed |= !source.feeds().isEmpty();
        }
        List<Part> parts = new ArrayList<>();
        for (SourceLoad source : metrics.sources()) {
            double cost = commonCost;
            Double own = source.busyShare();
            if (isBySource && own != null && source.processRate() > 0) {
                cost = own * ownScale / source.processRate();
            }
            double append = isFed ? append(source, byName, new HashSet<>(), policy) : source.appendRate(policy);
            parts.add(new Part(source, append, cost));
        }
        return parts;
    }

    /** What will come in: sources that catch up flood what they feed. */
    private static double append(
            SourceLoad source, Map<String, SourceLoad> byName, Set<String> above, ScalingPolicy policy) {
        double fed = 0;
        if (above.add(source.name())) {
            for (Map.Entry<String, Double> feed : source.feeds().entrySet()) {
                SourceLoad from = byName.get(feed.getKey());
                if (from != null) {
                    double rate = append(from, byName, above, policy) + from.lag() / policy.get(ScalingOption.CATCH_UP);
                    fed += rate * feed.getValue();
                }
            }
            above.remove(source.name());
        }
        return Math.max(source.appendRate(policy), fed);
    }

    /** Members that must be there to have the busy share that is aimed at, and to catch up; by source. */
    List<Decision.SourceTarget> targets(ScalingPolicy policy, int members, double restartSeconds) {
        double goal = policy.get(ScalingOption.LATENCY_GOAL);
        double leftOver = work <= members ? 0 : 1 - members / work;
        List<Decision.SourceTarget> targets = new ArrayList<>();
        for (Part part : parts) {
            double need = CapacityNeed.of(
                    part.append(),
                    part.source().lag(),
                    policy.get(ScalingOption.TARGET),
                    restartSeconds,
                    policy.get(ScalingOption.CATCH_UP));
            if (goal > 0) {
                // What waits when the members are there, not what waits now.
                double lag = part.source().lag() + part.append() * leftOver * restartSeconds;
                need = Math.max(
                        need, CapacityNeed.forLatency(part.append(), lag, goal, policy.get(ScalingOption.RECOVER)));
            }
            targets.add(new Decision.SourceTarget(part.source().name(), need, need * part.cost()));
        }
        return targets;
    }

    /** Members below which there is not enough: as Flink's upper limit, without the restart that is not wanted yet. */
    double threshold(ScalingPolicy policy) {
        return work / policy.get(ScalingOption.MAX) + backlog / policy.get(ScalingOption.CATCH_UP);
    }

    /** Members that are enough for the load, and afterwards for what their removal leaves waiting. */
    double enough(ScalingPolicy policy, double restartSeconds) {
        double catchUp = policy.get(ScalingOption.CATCH_UP);
        return Math.max(work / policy.get(ScalingOption.DOWN), work + (work * restartSeconds + backlog) / catchUp);
    }

    /** Seconds that a record waits which comes in that many seconds, with so many members. */
    double latencyIn(double seconds, int members) {
        return members == 0 ? Double.POSITIVE_INFINITY : Math.max(0, backlog + (work - members) * seconds) / members;
    }

    /** Seconds until nothing waits, with so many members; infinite if they do no more than comes. */
    double drainSeconds(int members) {
        return backlog <= 0 ? 0 : members > work ? backlog / (members - work) : Double.POSITIVE_INFINITY;
    }
}
