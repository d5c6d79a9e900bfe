package dev.laneway.ops.simulate;

/**
 * What it costs to change the number of members. Immutable.
 *
 * @param startSeconds from the request for a member until it joins
 * @param pauseSeconds how long partitions that change hands stand still
 * @param stopsAll whether all partitions do, as with the eager protocol
 * @param stateBytes of all partitions together, which a new owner reads again, one partition after the other; 0 for
 *     none, or with standby replicas
 * @param restoreRate bytes a second in which it does
 */
public record Rescaling(
        double startSeconds, double pauseSeconds, boolean stopsAll, double stateBytes, double restoreRate) {
    /** Thirty seconds to start, three to change hands, no state. */
    public static final Rescaling USUAL = new Rescaling(30, 3, false, 0, 50e6);

    /** Checks each value. */
    public Rescaling {
        Check.notNegative("startSeconds", startSeconds);
        Check.notNegative("pauseSeconds", pauseSeconds);
        Check.notNegative("stateBytes", stateBytes);
        Check.positive("restoreRate", restoreRate);
    }
}
