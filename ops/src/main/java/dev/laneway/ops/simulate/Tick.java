package dev.laneway.ops.simulate;

/**
 * What can be seen of the group at one moment. Rates and shares are of the time since the tick before. Immutable.
 *
 * @param seconds from the start
 * @param lag records that have come and are not done
 * @param ageSeconds how long the first record that no member has fetched has waited; 0 if there is none
 * @param appendRate records a second that came
 * @param processRate records a second that were done
 * @param busyShare the share of all workers' time in which they handled records
 * @param members that have joined
 * @param requestedMembers that are asked for, those that have not joined yet included
 * @param concurrency of each
 * @param isMoving whether partitions stand still because they change hands, or their state is read again
 * @param p99Seconds the age of which 99 % of the records done were younger; 0 if none was done
 */
public record Tick(
        double seconds,
        long lag,
        double ageSeconds,
        double appendRate,
        double processRate,
        double busyShare,
        int members,
        int requestedMembers,
        int concurrency,
        boolean isMoving,
        double p99Seconds) {}
