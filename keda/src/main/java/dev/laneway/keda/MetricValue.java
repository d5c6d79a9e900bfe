package dev.laneway.keda;

/**
 * The metric that makes a HorizontalPodAutoscaler arrive at a number of replicas. It takes {@code ceil(value / target)}
 * replicas, but leaves all as it is where {@code value / (target * replicas)} is within its tolerance of 1, which is
 * 0.1 where nobody has set it. Pure functions.
 */
final class MetricValue {
    /** Its name, for each ScaledObject the same: KEDA puts the trigger's number before it. */
    static final String NAME = "laneway-members";
    /** The value that each replica should have on average. */
    static final double TARGET = 1;
    /** A value that is lower by that has the same ceil, and is farther from what there is. */
    private static final double LOWER = 0.95;

    private static final double USUAL_TOLERANCE = 0.1;

    private MetricValue() {}

    /**
     * The value for a number of members.
     *
     * @param wanted members that there should be, at least 1
     * @param seen members that there are
     */
    static double of(int wanted, int seen) {
        return seen > wanted ? wanted - LOWER : wanted;
    }

    /** Whether an autoscaler of the usual tolerance leaves the number as it is, though another one is wanted. */
    static boolean isTolerated(int wanted, int seen) {
        return wanted != seen && Math.abs(of(wanted, seen) / Math.max(1, seen) - 1) <= USUAL_TOLERANCE;
    }
}
