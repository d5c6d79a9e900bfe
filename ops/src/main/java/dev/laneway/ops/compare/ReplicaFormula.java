package dev.laneway.ops.compare;

/** The arithmetic of Kubernetes' HorizontalPodAutoscaler, and that of KEDA's Kafka trigger. Pure functions. */
public final class ReplicaFormula {
    /** Ratios that are nearer to 1 than that change nothing: the default of the controller manager. */
    static final double TOLERANCE = 0.1;

    private ReplicaFormula() {}

    /**
     * For a use of processors: {@code ceil(replicas * use / target)}. Replicas that are not ready count as unused when
     * there should be more; if that turns the direction, nothing is changed.
     *
     * @param use of the ready replicas, on average
     */
    static int byUse(int ready, int unready, double use, double target) {
        int all = ready + unready;
        double ratio = use / target;
        if (ready == 0) {
            return all;
        }
        if (unready == 0 || ratio <= 1) {
            return Math.abs(ratio - 1) <= TOLERANCE ? all : ceil(ratio * ready);
        }
        double cautious = use * ready / all / target;
        return cautious <= 1 + TOLERANCE ? all : ceil(cautious * all);
    }

    /** For a number that all replicas share, as an average value: {@code ceil(value / target)}. */
    public static int byAverageValue(int replicas, double value, double target) {
        double ratio = value / (target * replicas);
        return Math.abs(ratio - 1) <= TOLERANCE ? replicas : ceil(value / target);
    }

    /**
     * The lag that KEDA reports: not more than gives each partition a replica.
     *
     * @param spreadsEvenly {@code ensureEvenDistributionOfPartitions}
     * @param laggingOnly {@code limitToPartitionsWithLag}
     */
    static long reportedLag(long[] lags, long threshold, boolean spreadsEvenly, boolean laggingOnly) {
        long lag = 0;
        int lagging = 0;
        for (long each : lags) {
            lag += Math.max(0, each);
            lagging += each > 0 ? 1 : 0;
        }
        if (spreadsEvenly) {
            lag = evenCount(lag, lags.length, threshold) * threshold;
        }
        int most = laggingOnly ? lagging : lags.length;
        return lag / threshold > most ? most * threshold : lag;
    }

    /** The least divisor of the number of partitions that has room for the lag; all partitions if none has. */
    static long evenCount(long lag, int partitions, long threshold) {
        for (int count = 1; count <= partitions; count++) {
            if (partitions % count == 0 && count * threshold >= lag) {
                return count;
            }
        }
        return partitions;
    }

    private static int ceil(double value) {
        return (int) Math.ceil(value - 1e-9);
    }
}
