package dev.laneway;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * One assigned partition at one moment. Immutable.
 *
 * @param partition the partition
 * @param epoch a number that grows with each assignment, so that results of an earlier assignment are recognised
 * @param committed the last offset that the broker confirmed to this member; empty before the first
 * @param committable the lowest offset that is not done. It may exceed the position, where an earlier owner's commit
 *     names records as done that were not fetched again yet
 * @param position the offset that is fetched next
 * @param lag records between {@code committable} and the log's end. The end is fetched only while snapshots are taken,
 *     about once a second; empty until it is known
 * @param held records fetched and not done
 * @param heldBytes their keys and values, in bytes
 * @param inFlight records that were started, or that wait behind a busy key, for a retry or for an acknowledgement
 * @param lanes the number of busy lanes: keys or partitions with a record in flight
 * @param paused whether fetching is paused by flow control or by the user
 * @param pausedByUser whether the user paused it
 * @param oldestOffset the offset of the lowest unfinished record that was started or waits in the log; empty if there
 *     is none
 * @param oldestAge how long that record has been unfinished, as far as the engine has seen
 * @param pauseReason why fetching is paused; empty if it is not
 * @param delayed lanes whose record waits for its time, see {@link NotBefore}; more may wait behind it
 * @param spilledKeys busy keys with records that wait in the log and are not held; see docs/stuck-record.md
 * @param spilledRecords how many such records are known; more may be, where an earlier owner has left them
 */
public record PartitionSnapshot(
        TopicPartition partition,
        long epoch,
        OptionalLong committed,
        long committable,
        long position,
        OptionalLong lag,
        long held,
        long heldBytes,
        int inFlight,
        int lanes,
        boolean paused,
        boolean pausedByUser,
        OptionalLong oldestOffset,
        Optional<Duration> oldestAge,
        Optional<PauseReason> pauseReason,
        int delayed,
        int spilledKeys,
        long spilledRecords) {}
