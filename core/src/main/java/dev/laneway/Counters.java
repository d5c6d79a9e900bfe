package dev.laneway;

/**
 * What happened since the start, all members together. Each counter only grows. Immutable.
 *
 * @param processed records done, however they ended
 * @param failedAttempts attempts that failed
 * @param retries attempts after the first
 * @param skipped records counted as done without success
 * @param deadLettered records that a dead-letter topic has acknowledged
 * @param emitted records sent for handlers and acknowledged
 * @param late results that came after their partition had gone; they were dropped
 * @param dropped records in flight when the drain limit of a rebalance or of close was reached; their next owner runs
 *     them again
 * @param commits commits that the broker confirmed
 * @param failedCommits commits that failed or were not answered, and were made again
 * @param archived records of a share group that this process had at their last delivery and did not finish, so that the
 *     broker gives them up: nobody gets them again; 0 in other groups
 * @param rebalances assignments that Kafka has told of, those that change nothing included: each is the end of a
 *     rebalance that the member took part in. So the first may bring no partition, as it does where there are more
 *     members than partitions, and with {@code group.protocol=consumer} where the group has only just heard of the
 *     topic
 * @param workersStarted workers started
 */
public record Counters(
        long processed,
        long failedAttempts,
        long retries,
        long skipped,
        long deadLettered,
        long emitted,
        long late,
        long dropped,
        long commits,
        long failedCommits,
        long archived,
        long rebalances,
        long workersStarted) {}
