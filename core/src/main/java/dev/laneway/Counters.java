package dev.laneway;

/**
 * What happened since the start, all members together. Each counter only grows. Immutable.
 *
 * @param processed records done, however they ended
 * @param failedAttempts attempts that failed
 * @param retries attempts after the first
 * @param skipped records that were given up and count as done
 * @param deadLettered records that a dead-letter topic has acknowledged
 * @param emitted records that handlers emitted and the broker acknowledged
 * @param late results that came after their partition had been given up; they were ignored
 * @param dropped records in flight when a drain or close limit passed; the next owner handles them again
 * @param commits commits that the broker confirmed
 * @param failedCommits commits that failed or were not answered, and were made again
 * @param archived records of a share group that this process had at their last delivery and did not finish, so that no
 *     member gets them again; 0 in other groups
 * @param lost records that waited in the log behind a busy key and were gone when their turn came: retention or
 *     compaction had taken them
 * @param spilled times that a record behind a busy key was no longer held, but left to the log
 * @param refilled times that such a record was read again and held
 * @param rebalances assignments that Kafka has reported, those without a change included: one for each rebalance that a
 *     member took part in. The first may have no partition, if there are more members than partitions or, with
 *     {@code group.protocol=consumer}, if the topic is new to the group
 * @param workersStarted workers that were started
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
        long lost,
        long spilled,
        long refilled,
        long rebalances,
        long workersStarted) {}
