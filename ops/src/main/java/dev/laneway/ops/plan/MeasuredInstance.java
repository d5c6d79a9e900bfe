package dev.laneway.ops.plan;

/**
 * What instances of one size were measured to sustain, whatever the reason. N of them do N times the rate of one,
 * divided by 1 + contention x (N - 1): each waits for the others a part of its time (Amdahl's law). Immutable.
 *
 * @param rate records a second of one; 0 if nothing was measured
 * @param contention 0 if several do as many times as much as one
 * @param limiter what limited one, to follow "limited by"
 */
public record MeasuredInstance(double rate, double contention, String limiter) {
    /** Nothing was measured: the times of records count alone. */
    public static final MeasuredInstance NONE = new MeasuredInstance(0, 0, "");

    /** Checks each value. */
    public MeasuredInstance {
        Check.notNegative("rate", rate);
        Check.notNegative("contention", contention);
    }

    /**
     * Of two measurements of groups.
     *
     * @param partitions of the group, by which members can have uneven loads
     * @param members and {@code rate}: of the first
     * @param moreRate of the group with one member more
     */
    public static MeasuredInstance fit(int partitions, int members, double rate, double moreRate, String limiter) {
        Check.atLeast("partitions", partitions, members + 1.0);
        Check.atLeast("members", members, 1);
        Check.positive("rate", rate);
        Check.positive("moreRate", moreRate);
        // What one member of each did, were the partitions spread evenly.
        double each = rate * Capacity.fullestShare(partitions, members);
        double eachOfMore = moreRate * Capacity.fullestShare(partitions, members + 1);
        if (eachOfMore >= each) {
            return new MeasuredInstance((each + eachOfMore) / 2, 0, limiter);
        }
        double slower = 1 / eachOfMore - 1 / each;
        double alone = 1 / each - (members - 1) * slower;
        // A member alone cannot take no time; then all that is known is the first measurement.
        return alone <= 0
                ? new MeasuredInstance(each, 0, limiter)
                : new MeasuredInstance(1 / alone, slower / alone, limiter);
    }

    /** Whether anything was measured. */
    public boolean isKnown() {
        return rate > 0;
    }

    /** Records a second of so many members, among which the partitions are spread as evenly as they can be. */
    public double groupRate(int partitions, int members) {
        return memberRate(members) / Capacity.fullestShare(partitions, members);
    }

    /** Records a second of one of so many members. */
    public double memberRate(int members) {
        return rate / (1 + contention * (members - 1));
    }
}
