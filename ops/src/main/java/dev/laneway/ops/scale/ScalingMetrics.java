package dev.laneway.ops.scale;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a group at one moment. Numbers that are not known are null. Immutable.
 *
 * @param atMillis the time of the decision, in milliseconds since 1970
 * @param measuredAtMillis when the rest was measured
 * @param shape what members there are
 * @param sources the topics, or sub-topologies, that they process
 * @param busyShare the share of its time that the busiest member processes records, from 0 to 1
 * @param meanBusyShare the mean of all members' shares; null if not known
 * @param isRising whether the load has begun to rise so lately that nobody can tell how far, by {@link ArrivalTrend}
 * @param isStable whether all members run and the group does not rebalance
 * @param isRestoring whether state is being restored
 * @param cpuShare processor use of the busiest member, from 0 to 1
 * @param slowdown the 99th percentile of calls to other services, against that in calm; 1 if they are as quick
 * @param restore the state that moves with tasks; null if there is none
 * @param verdict what a check says; null if none was made
 */
public record ScalingMetrics(
        long atMillis,
        long measuredAtMillis,
        GroupShape shape,
        List<SourceLoad> sources,
        @Nullable Double busyShare,
        @Nullable Double meanBusyShare,
        boolean isRising,
        boolean isStable,
        boolean isRestoring,
        @Nullable Double cpuShare,
        @Nullable Double slowdown,
        @Nullable RestoreLoad restore,
        @Nullable ScalingVerdict verdict) {
    /** Copies the list. */
    public ScalingMetrics {
        Objects.requireNonNull(shape);
        sources = List.copyOf(sources);
    }

    /** A group in order, just measured. */
    public static ScalingMetrics of(
            long atMillis, GroupShape shape, List<SourceLoad> sources, @Nullable Double busyShare) {
        return new ScalingMetrics(
                atMillis, atMillis, shape, sources, busyShare, null, false, true, false, null, null, null, null);
    }

    /** The same at another time, measured so long before as this one. */
    public ScalingMetrics at(long millis) {
        return new ScalingMetrics(
                millis,
                millis - (atMillis - measuredAtMillis),
                shape,
                sources,
                busyShare,
                meanBusyShare,
                isRising,
                isStable,
                isRestoring,
                cpuShare,
                slowdown,
                restore,
                verdict);
    }

    /** The same, measured at this time. */
    public ScalingMetrics measuredAt(long millis) {
        return new ScalingMetrics(
                atMillis,
                millis,
                shape,
                sources,
                busyShare,
                meanBusyShare,
                isRising,
                isStable,
                isRestoring,
                cpuShare,
                slowdown,
                restore,
                verdict);
    }

    /** The same of another group: other members, with another load. */
    public ScalingMetrics withLoad(GroupShape other, List<SourceLoad> loads, @Nullable Double busy) {
        return new ScalingMetrics(
                atMillis,
                measuredAtMillis,
                other,
                loads,
                busy,
                null,
                false,
                isStable,
                isRestoring,
                cpuShare,
                slowdown,
                restore,
                verdict);
    }

    /** The same, settled or not. */
    public ScalingMetrics withSettled(boolean stable, boolean restoring) {
        return new ScalingMetrics(
                atMillis,
                measuredAtMillis,
                shape,
                sources,
                busyShare,
                meanBusyShare,
                isRising,
                stable,
                restoring,
                cpuShare,
                slowdown,
                restore,
                verdict);
    }

    /** The same with the mean of all members' busy shares. */
    public ScalingMetrics withMeanBusyShare(@Nullable Double mean) {
        return new ScalingMetrics(
                atMillis,
                measuredAtMillis,
                shape,
                sources,
                busyShare,
                mean,
                isRising,
                isStable,
                isRestoring,
                cpuShare,
                slowdown,
                restore,
                verdict);
    }

    /** The same with a load that has just begun to rise, or has not. */
    public ScalingMetrics withRising(boolean rising) {
        return new ScalingMetrics(
                atMillis,
                measuredAtMillis,
                shape,
                sources,
                busyShare,
                meanBusyShare,
                rising,
                isStable,
                isRestoring,
                cpuShare,
                slowdown,
                restore,
                verdict);
    }

    /** The same with these pressures on the processors and on other services. */
    public ScalingMetrics withPressure(@Nullable Double cpu, @Nullable Double slower) {
        return new ScalingMetrics(
                atMillis,
                measuredAtMillis,
                shape,
                sources,
                busyShare,
                meanBusyShare,
                isRising,
                isStable,
                isRestoring,
                cpu,
                slower,
                restore,
                verdict);
    }

    /** The same with state that moves with tasks. */
    public ScalingMetrics withRestore(@Nullable RestoreLoad load) {
        return new ScalingMetrics(
                atMillis,
                measuredAtMillis,
                shape,
                sources,
                busyShare,
                meanBusyShare,
                isRising,
                isStable,
                isRestoring,
                cpuShare,
                slowdown,
                load,
                verdict);
    }

    /** The same with a check's verdict. */
    public ScalingMetrics withVerdict(@Nullable ScalingVerdict judged) {
        return new ScalingMetrics(
                atMillis,
                measuredAtMillis,
                shape,
                sources,
                busyShare,
                meanBusyShare,
                isRising,
                isStable,
                isRestoring,
                cpuShare,
                slowdown,
                restore,
                judged);
    }

    /** Seconds for which what waits will keep the members, of the source that waits longest. */
    double lagSeconds() {
        double most = 0;
        for (SourceLoad source : sources) {
            most = Math.max(most, source.lagSeconds());
        }
        return most;
    }

    /** How long the partition that is furthest behind waits; null unless that is known of all sources. */
    @Nullable
    Double longestWaitSeconds() {
        double most = 0;
        for (SourceLoad source : sources) {
            Double wait = source.longestWaitSeconds();
            if (wait == null) {
                return null;
            }
            most = Math.max(most, wait);
        }
        return most;
    }

    /** What cannot be true, in words; null if all can. */
    @Nullable
    String problem() {
        if (sources.isEmpty()) {
            return "no topic is known";
        }
        for (SourceLoad source : sources) {
            if (!source.isSane()) {
                return "the numbers of " + source.name() + " are no amounts";
            }
        }
        if (!shape.isSane()) {
            return "the members' number or size is none";
        }
        if (!isShare(busyShare)
                || !isShare(meanBusyShare)
                || !isShare(cpuShare)
                || (slowdown != null && !(slowdown >= 0 && slowdown < 1e9))) {
            return "a share of time is none";
        }
        return restore == null || restore.isSane() ? null : "what is to be restored is no amount";
    }

    private static boolean isShare(@Nullable Double value) {
        return value == null || (value >= 0 && value <= 1.05);
    }
}
