package dev.laneway.engine;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the owner holds for one assigned partition; what it shares with those who take the records is {@link Held}. The
 * owner only.
 */
final class Partition {
    private static final Logger log = LoggerFactory.getLogger(Partition.class);

    final TopicPartition id;
    final Held held;
    /** The same, where workers take the records. */
    final @Nullable Track track;

    final Watch watch;
    /** What the broker has confirmed; null before the first commit of this assignment. */
    @Nullable
    Progress committed;
    /** What is fetched next, as far as polls have told. */
    long position;
    /** Whether flow control has paused fetching. */
    boolean paused;
    /** Whether the user has. */
    boolean pausedByUser;
    /** The most bytes that a poll has returned of it. */
    long largestChunkBytes;
    /** The lowest offset that was seen started and unfinished, and since when. */
    long stuckOffset = -1;

    long stuckSinceNanos;
    /** The latest leader epoch that is known to have records below {@link #position}; -1 when none is known. */
    private int leaderEpoch = -1;
    /** Up to where the map of an earlier owner reaches that may still be refuted, see {@link #refute}. */
    private long mapEnd;

    Partition(TopicPartition id, Held held, Watch watch, long position) {
        this.id = id;
        this.held = held;
        this.track = held instanceof Track worked ? worked : null;
        this.watch = watch;
        this.position = position;
    }

    /** An earlier owner has committed this; its map, if any, reaches up to the given offset. */
    void restored(OffsetAndMetadata by, long mapReaches) {
        committed = new Progress(by.offset(), by.metadata());
        held.found(by.metadata());
        saw(by.leaderEpoch());
        mapEnd = leaderEpoch < 0 ? 0 : mapReaches;
    }

    /** Takes what a poll returned. */
    void append(Chunk chunk, long next) {
        Optional<Integer> epoch = chunk.records.getLast().leaderEpoch();
        if (chunk.records.getFirst().offset() < mapEnd) {
            refute(chunk);
        }
        saw(epoch);
        largestChunkBytes = Math.max(largestChunkBytes, chunk.bytesLeft);
        position = next;
        held.append(chunk, next);
    }

    /** A poll has moved on to an offset without returning records. */
    void skipTo(OffsetAndMetadata next) {
        saw(next.leaderEpoch());
        position = next.offset();
        held.skipTo(position);
    }

    /**
     * An offset to be committed, with the epoch by which the next owner's client notices that the log was cut below it
     * (KIP-320). The latest epoch that was read is as good as that of the offset's own predecessor: a log that still
     * has a record of that epoch has all that was read before it.
     */
    OffsetAndMetadata offset(Progress progress) {
        return new OffsetAndMetadata(
                progress.offset(), leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch), progress.metadata());
    }

    /** What its done records have emitted. */
    Outputs outputs() {
        if (track == null) {
            throw new IllegalStateException(id + " belongs to a stream, which emits nothing by itself");
        }
        return track.outputs;
    }

    private void saw(Optional<Integer> epoch) {
        leaderEpoch = Math.max(leaderEpoch, epoch.orElse(-1));
    }

    /**
     * The client checks the committed offset only. Where a record that the map calls done was written under a later
     * leader than its owner knew, the log was cut there and written anew: these records are not those that were done.
     */
    private void refute(Chunk chunk) {
        int known = leaderEpoch;
        for (ConsumerRecord<byte[], byte[]> record : chunk.records) {
            if (record.offset() >= mapEnd) {
                break;
            }
            if (record.leaderEpoch().orElse(-1) > known) {
                log.warn(
                        "{}: its log was cut and written anew from offset {} on or before; what an earlier owner has"
                                + " done from there on is handled again",
                        id,
                        record.offset());
                held.restoredEndsAt(record.offset());
                mapEnd = 0;
                break;
            }
        }
    }
}
