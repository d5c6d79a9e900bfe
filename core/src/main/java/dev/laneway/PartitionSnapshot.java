package dev.laneway;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * One assigned partition at a moment. Immutable.
 *
 * @param partition the partition
 * @param epoch counts the assignments of this member; work of an older epoch is never taken for new
 * @param committed the last offset that the broker confirmed to this member; empty before the first
 * @param committable the lowest offset that is not done; beyond the position where an earlier owner's commit names what
 *     is done and has yet to be fetched again
 * @param position the offset that is fetched next
 * @param lag records between what is committable and the log's end, as far as the client knows it. The end is asked for
 *     only while snapshots are taken, about once a second, so the first snapshot may know none; empty until then
 * @param held records fetched and not done
 * @param heldBytes their keys and values, in bytes
 * @param inFlight records that were started or wait behind a busy key, for a retry or for an acknowledgement
 * @param lanes keys that are busy
 * @param paused whether fetching is paused by flow control or by the user
 * @param pausedByUser whether the user paused it
 * @param oldestOffset the offset of the lowest unfinished record that was started; empty when there is none
 * @param oldestAge how long the engine has seen that record unfinished
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
        Optional<Duration> oldestAge) {}
