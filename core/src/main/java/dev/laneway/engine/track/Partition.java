package dev.laneway.engine.track;

import dev.laneway.PauseReason;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.OffsetWindow;
import dev.laneway.engine.offsets.Progress;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the owner holds for one assigned partition; what it shares with those who take the records is
 * {@link AssignedRecords}. The owner only; anybody may look at what is volatile, for a snapshot.
 */
public final class Partition {
    private static final Logger log = LoggerFactory.getLogger(Partition.class);

    public final TopicPartition id;
    public final AssignedRecords held;
    /** The same, where workers take the records. */
    public final @Nullable Track track;

    public final PartitionDiagnostics watch;
    /** What the broker has confirmed; null before the first commit of this assignment. */
    public volatile @Nullable Progress committed;
    /** What is fetched next, as far as polls have told. */
    public volatile long position;
    /** Where this assignment began. */
    public final long start;
    /** Why flow control lets it fetch nothing; null where it may fetch. */
    public volatile @Nullable PauseReason pauseReason;
    /** Whether its topic is known to be deleted: what was done of it says nothing of a topic that gets its name. */
    public volatile boolean isOfDeletedTopic;
    /** Whether the user has paused it. */
    public volatile boolean pausedByUser;

    /** The latest leader epoch that is known to have records below {@link #position}; -1 when none is known. */
    private int leaderEpoch = -1;
    /** What an earlier owner has done of what no poll has returned yet. */
    private DecodedMetadata.@Nullable Map map;

    /** Whether its owner knew the leader epoch of then. */
    private boolean refutable;
    /** The lowest offset from which on the log was cut during this assignment, or was seen to have been before. */
    private long cut = Long.MAX_VALUE;
    /**
     * The same, from the commit of an earlier assignment to the beginning of this one; until this one has committed.
     */
    private long cutBefore = Long.MAX_VALUE;

    public Partition(TopicPartition id, AssignedRecords held, PartitionDiagnostics watch, long position) {
        this.id = id;
        this.held = held;
        this.track = held instanceof Track worked ? worked : null;
        this.watch = watch;
        this.position = position;
        this.start = position;
    }

    /** An earlier owner has committed this. */
    public void restored(OffsetAndMetadata by, DecodedMetadata.@Nullable Map done) {
        committed = new Progress(by.offset(), by.metadata());
        held.found(by.metadata());
        map = done;
        refutable = by.leaderEpoch().isPresent();
        saw(by.leaderEpoch());
        if (done == null && !by.metadata().isEmpty()) {
            cutBefore = Math.min(cutBefore, by.offset()); // Its map was not believed.
        }
    }

    /** The log was cut here: what a map that was made before says of what is behind it is not about what is there. */
    public void wasCut(long offset) {
        cut = Math.min(cut, offset);
    }

    /**
     * The latest commit is one that an earlier assignment knows, and the log may have been cut several times since:
     * what its map says is true below the lowest cut only.
     */
    public void cutAs(Partition before) {
        cutBefore = Math.min(before.cut, before.cutBefore);
    }

    /** The broker has stored this progress: what is new is this assignment's own, made since the log was cut. */
    public void confirmed(Progress progress) {
        if (!progress.equals(committed)) {
            cutBefore = Long.MAX_VALUE;
        }
        committed = progress;
    }

    /** What the map of the latest commit still tells. */
    public DecodedMetadata.@Nullable Map committedMap() {
        Progress progress = committed;
        return progress != null
                        && OffsetMap.decode(id, progress.offset(), progress.metadata())
                                instanceof DecodedMetadata.Map told
                ? told.before(Math.min(cut, cutBefore))
                : null;
    }

    /** Whether it may fetch, as far as flow control and the user are concerned. */
    public boolean mayFetch() {
        return pauseReason == null && !pausedByUser;
    }

    /**
     * Takes what a poll returned; the log goes on at {@code next}, and what lies before that was written in its epoch.
     */
    public void append(Chunk chunk, OffsetAndMetadata next) {
        saw(chunk.records.getLast().leaderEpoch());
        saw(next.leaderEpoch());
        position = next.offset();
        if (map != null && position >= map.cursor()) {
            map = null;
        }
        held.append(chunk, position);
    }

    /**
     * Records from this offset on were given back to the log: they are fetched again, and compared with the map again.
     */
    public void readsAgainFrom(long offset) {
        position = offset;
        try (var _ = held.guard.enter()) {
            map = map == null ? held.restored : map;
        }
    }

    /**
     * Where to read on after a poll that has got to {@code end}: at the next record that no earlier owner has done. A
     * seek over what is done needs an epoch, by which the client notices if the log was cut in between; where none is
     * known all is read, and compared with the map.
     */
    public long nextUndone(long end) {
        return map == null || !refutable ? end : map.nextUndone(end);
    }

    /** The position, with the epoch of what lies before it. */
    public OffsetAndMetadata reading() {
        return offset(new Progress(position, ""));
    }

    /** A poll has moved on to an offset without returning records. */
    public void skipTo(OffsetAndMetadata next) {
        refute(position, next);
        saw(next.leaderEpoch());
        position = next.offset();
        held.skipTo(position);
    }

    /**
     * An offset to be committed, with the epoch by which the next owner's client notices that the log was cut below it
     * (KIP-320). The latest epoch that was read is as good as that of the offset's own predecessor: a log that still
     * has a record of that epoch has all that was read before it.
     */
    public OffsetAndMetadata offset(Progress progress) {
        return new OffsetAndMetadata(
                progress.offset(), leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch), progress.metadata());
    }

    /** The position behind a record. */
    public static OffsetAndMetadata behind(ConsumerRecord<byte[], byte[]> record) {
        return new OffsetAndMetadata(record.offset() + 1, record.leaderEpoch(), "");
    }

    /** What its done records have emitted. */
    public PendingOutputs outputs() {
        return held.outputs;
    }

    /**
     * How many records no free worker can start, since they have left the cursor's path and are not done: they run,
     * wait for another attempt or behind a busy key, or their outputs are on their way.
     */
    public int recordsInLanes() {
        return track == null ? 0 : track.ledger.inLanes();
    }

    private void saw(Optional<Integer> epoch) {
        int latest = epoch.orElse(-1);
        if (latest > leaderEpoch) {
            leaderEpoch = latest;
            if (track != null && (map == null || refutable)) { // Else what is done may be of a later leader.
                track.spilled.isOfLeader(latest);
            }
        }
    }

    /**
     * Whether this record, which stands below the position, is of a log that is not the one that was read so far. What
     * is written after a cut is written under a later leader than all before; the leaders of a topic that was made anew
     * begin anew, too.
     */
    public boolean isOfAnotherLog(ConsumerRecord<byte[], byte[]> below) {
        int epoch = below.leaderEpoch().orElse(-1);
        return epoch >= 0 && epoch <= leaderEpoch;
    }

    /**
     * What may be committed before it is handled: all below the position counts as done, and what an earlier owner has
     * done beyond it stays so. Its epoch is the latest one of both: either may be the one that wrote what is done.
     */
    public OffsetAndMetadata ahead(OffsetAndMetadata next, int metadataLimit) {
        saw(next.leaderEpoch());
        return offset(ahead(next.offset(), metadataLimit));
    }

    private Progress ahead(long offset, int metadataLimit) {
        if (map == null || offset >= map.cursor()) {
            return new Progress(offset, "");
        }
        OffsetWindow undone = new OffsetWindow();
        for (long at : map.undone()) {
            if (at >= offset) {
                undone.add(at);
            }
        }
        long base = undone.committable(map.cursor());
        return new Progress(
                base, undone.isEmpty() ? "" : OffsetMap.encode(id, base, undone, map.cursor(), metadataLimit));
    }

    /**
     * Compares what a poll returned with the map. The client checks the committed offset only. Where something that the
     * map calls done was written under a later leader than its owner knew, the log was cut there and written anew:
     * these records are not those that were done.
     */
    public void refute(List<ConsumerRecord<byte[], byte[]>> records, OffsetAndMetadata next) {
        if (map == null || !refutable) {
            return;
        }
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (record.offset() >= map.cursor()) {
                return;
            }
            if (record.leaderEpoch().orElse(-1) > leaderEpoch) {
                refuteFrom(record.offset());
                return;
            }
        }
        refute(records.getLast().offset() + 1, next);
    }

    /**
     * The same for what was read without a record to show for it (transaction markers, aborted or compacted records):
     * where in between the later leader began is not known.
     */
    private void refute(long from, OffsetAndMetadata next) {
        if (map != null
                && refutable
                && next.offset() < map.cursor()
                && next.leaderEpoch().orElse(-1) > leaderEpoch) {
            refuteFrom(from);
        }
    }

    private void refuteFrom(long offset) {
        log.warn(
                "{}: its log was cut and written anew from offset {} on or before; what an earlier owner has done from"
                        + " there on is handled again",
                id,
                offset);
        wasCut(offset);
        held.restoredEndsAt(offset);
        map = map == null ? null : map.before(offset);
    }
}
