package dev.laneway.ops.plan;

/**
 * What the group must stand, and what is given. Immutable.
 *
 * @param utilisation the most of its capacity that the load may take, 0.7 for instance
 * @param growth how many times the load of today it must carry
 * @param failures how many members may be gone at once, the others still carrying it all
 * @param outageSeconds for how long the whole group may stand still, as during a deployment
 * @param catchUpSeconds how soon after that all must have been caught up
 * @param partitionRate records a second that one partition takes
 * @param partitions how many there are; 0 to choose
 * @param members how many there may be at most; 0 for as many as it takes
 */
public record Goals(
        double utilisation,
        double growth,
        int failures,
        double outageSeconds,
        double catchUpSeconds,
        double partitionRate,
        int partitions,
        int members) {
    /** 70 % used, one member may fail, five minutes of outage are caught up in half an hour. */
    public static final Goals USUAL = new Goals(0.7, 1, 1, 300, 1_800, 10_000, 0, 0);

    /** Nothing to spare: exactly the load. */
    public static final Goals BARE = new Goals(1, 1, 0, 0, 1_800, 10_000, 0, 0);

    /** Checks each value. */
    public Goals {
        Check.share("utilisation", utilisation);
        Check.positive("utilisation", utilisation);
        Check.positive("growth", growth);
        Check.notNegative("failures", failures);
        Check.notNegative("outageSeconds", outageSeconds);
        Check.positive("catchUpSeconds", catchUpSeconds);
        Check.positive("partitionRate", partitionRate);
        Check.notNegative("partitions", partitions);
        Check.notNegative("members", members);
    }

    /** The same with partitions and members that are given. */
    public Goals with(int newPartitions, int newMembers) {
        return new Goals(
                utilisation, growth, failures, outageSeconds, catchUpSeconds, partitionRate, newPartitions, newMembers);
    }

    /** The capacity for a rate: with room above it, and to catch up. */
    double need(double rate) {
        return rate * growth * (1 / utilisation + outageSeconds / catchUpSeconds);
    }
}
