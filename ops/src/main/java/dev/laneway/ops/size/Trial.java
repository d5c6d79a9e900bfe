package dev.laneway.ops.size;

/**
 * What came of one rate. Immutable.
 *
 * @param instances that ran
 * @param asked records a second that were to come
 * @param seen what came, and what the group did
 * @param keepsUp whether the group sustains the rate
 * @param machine the share of all the machine's processors that was busy, whoever kept them so; NaN if not known
 */
public record Trial(int instances, double asked, LagWindow seen, boolean keepsUp, double machine) {
    /** A load that comes near enough to what was asked for. */
    private static final double NEARLY = 0.9;

    /** Whether less came than was asked for, though the group keeps up. */
    public boolean isShortOfLoad() {
        return keepsUp && seen.offered() < NEARLY * asked;
    }
}
