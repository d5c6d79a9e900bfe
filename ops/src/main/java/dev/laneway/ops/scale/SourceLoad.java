package dev.laneway.ops.scale;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The load of one topic, or of one sub-topology of Kafka Streams. Immutable.
 *
 * @param name the topic, or the sub-topology's id
 * @param partitions of the topic, or tasks of the sub-topology; 0 if not known
 * @param lag records that wait
 * @param appendRate records that come in a second
 * @param processRate records that are done in a second
 * @param busyShare the share of their time that the members spend on this source; null if it is not known by source
 * @param feeds for each source that feeds this one the records that it appends here for each record that it processes
 * @param risenRate records that come in a second since the load has risen, if it clearly has within the time over which
 *     {@code appendRate} is taken, by {@link ArrivalTrend}; else null
 * @param longestWaitSeconds for how long what waits in the partition that is furthest behind will keep its member; null
 *     if that is not known
 */
public record SourceLoad(
        String name,
        int partitions,
        double lag,
        double appendRate,
        double processRate,
        @Nullable Double busyShare,
        Map<String, Double> feeds,
        @Nullable Double risenRate,
        @Nullable Double longestWaitSeconds) {
    /** Copies the map. */
    public SourceLoad {
        Objects.requireNonNull(name);
        feeds = Map.copyOf(feeds);
    }

    /** A topic that nothing else feeds, and of which it is not known by itself how busy it makes the members. */
    public static SourceLoad of(String name, int partitions, double lag, double appendRate, double processRate) {
        return new SourceLoad(name, partitions, lag, appendRate, processRate, null, Map.of(), null, null);
    }

    /** The same with the rate to which the load has risen. */
    public SourceLoad withRisenRate(@Nullable Double rate) {
        return new SourceLoad(
                name, partitions, lag, appendRate, processRate, busyShare, feeds, rate, longestWaitSeconds);
    }

    /** The same with what the partition that is furthest behind has to wait. */
    public SourceLoad withLongestWait(@Nullable Double seconds) {
        return new SourceLoad(name, partitions, lag, appendRate, processRate, busyShare, feeds, risenRate, seconds);
    }

    /** Records that come in a second: as the policy sees them, who wants to be in time looks at the latest ones. */
    double appendRate(ScalingPolicy policy) {
        return risenRate == null || policy.get(ScalingOption.LATENCY_GOAL) <= 0
                ? appendRate
                : Math.max(appendRate, risenRate);
    }

    /** Seconds for which what waits will keep the members, at the rate of now; infinite if nothing is done. */
    double lagSeconds() {
        return lag <= 0 ? 0 : processRate <= 0 ? Double.POSITIVE_INFINITY : lag / processRate;
    }

    boolean isSane() {
        return partitions >= 0
                && isAmount(lag)
                && isAmount(appendRate)
                && isAmount(processRate)
                && (busyShare == null || isAmount(busyShare))
                && (risenRate == null || isAmount(risenRate))
                && (longestWaitSeconds == null || longestWaitSeconds >= 0)
                && feeds.values().stream().allMatch(SourceLoad::isAmount);
    }

    private static boolean isAmount(double value) {
        return value >= 0 && value <= 1e15;
    }
}
