package dev.laneway.engine.track;

import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.OffsetWindow;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.offsets.SpilledKeys;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.WakeSignal;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What a track holds and what of it is done: the counts against the budgets, and the window of undone offsets. Guarded
 * by the track's guard, but for the counts, which anybody may glance at.
 */
public final class TrackLedger {
    /** A lane whose record is dropped, and what is kept to find that again. */
    private static final long BARE_BYTES = 400;

    private final TopicPartition partition;
    private final WakeSignal wake;
    private final EventCounts counts;
    private final OffsetWindow undone = new OffsetWindow();
    /** Those of records that were read again: each lies below one that the window has had. */
    private final TreeSet<Long> again = new TreeSet<>();
    /** Offsets of records that count by their bytes alone. */
    private final Set<Long> aside = new HashSet<>();

    private volatile int asideCount;
    /** How many records are held in lanes. Only with the guard is it changed. */
    private final AtomicInteger inLanes = new AtomicInteger();

    private volatile long records;
    private volatile long bytes;
    /** Records that this member never will do, since it stops because of them. Any thread. */
    private final AtomicInteger stranded = new AtomicInteger();
    /** Wakes the owner when no more records than this are held. */
    private long signalBelow = -1;
    /** Records that were given up for good; null where nobody asks. Written before they are done, read afterwards. */
    private @Nullable Set<Long> rejected;

    public TrackLedger(TopicPartition partition, WakeSignal wake, EventCounts counts) {
        this.partition = partition;
        this.wake = wake;
        this.counts = counts;
    }

    /**
     * Records fetched and not done that count against the budget of records; up to a chunk too many while its runner
     * glides. Any thread.
     */
    public long records() {
        return records;
    }

    /** The same, with those that are set aside. Any thread. */
    public long allRecords() {
        return records + asideCount;
    }

    /** Their keys and values in bytes. Any thread. */
    public long bytes() {
        return bytes;
    }

    /** This member stops because of a record, which it never will do. Any thread. */
    public void strand() {
        stranded.incrementAndGet();
    }

    /** How many records are held that never will be done. Any thread. */
    public int stranded() {
        return stranded.get();
    }

    /** A chunk was fetched. */
    public void fetched(Chunk chunk) {
        change(chunk.recordsLeft, chunk.bytesLeft);
    }

    /** The cursor has left a chunk: its memory is free, but for the records that moved to lanes. */
    void passed(Chunk chunk) {
        change(-chunk.recordsLeft, -chunk.bytesLeft);
    }

    /** A record leaves the cursor's path unfinished. */
    void left(Chunk chunk, ConsumerRecord<byte[], byte[]> record) {
        left(chunk, record, false);
    }

    /**
     * The same.
     *
     * @param isListed whether its key tells that it is undone: a single offset of a listed key is one that was started
     */
    void left(Chunk chunk, ConsumerRecord<byte[], byte[]> record, boolean isListed) {
        chunk.recordsLeft--;
        chunk.bytesLeft -= Chunk.bytes(record);
        addInLanes(1);
        if (!isListed) {
            undone.add(record.offset());
        }
    }

    /** A record leaves the cursor's path and is not held: it stands in the log. */
    void passedBy(Chunk chunk, ConsumerRecord<byte[], byte[]> record) {
        long bytes = Chunk.bytes(record);
        chunk.recordsLeft--;
        chunk.bytesLeft -= bytes;
        change(-1, -bytes);
    }

    /** A record in a lane is held no more. Its offset alone tells nothing any more. */
    void spilled(ConsumerRecord<byte[], byte[]> record) {
        counts.spilled.increment();
        listed(record);
        leaves(record);
    }

    /** A record that its lane waits with is held no more, but for where it is. Its offset stays undone. */
    void dropped(ConsumerRecord<byte[], byte[]> record) {
        counts.spilled.increment();
        leaves(record);
        change(0, bareBytes(record));
    }

    /** It is held again. */
    void heldAgain(ConsumerRecord<byte[], byte[]> bare, ConsumerRecord<byte[], byte[]> record) {
        counts.refilled.increment();
        addInLanes(1);
        change(1, Chunk.bytes(record) - bareBytes(bare));
    }

    /** A record in a lane counts by its bytes alone until it is done, and by what is kept beside them. */
    void setAside(ConsumerRecord<byte[], byte[]> record) {
        aside.add(record.offset());
        asideCount = aside.size();
        addInLanes(-1);
        change(-1, bareBytes(record));
    }

    boolean isAside(ConsumerRecord<byte[], byte[]> record) {
        return aside.contains(record.offset());
    }

    /** A record in a lane is held no more. */
    private void leaves(ConsumerRecord<byte[], byte[]> record) {
        if (!aside.isEmpty() && aside.remove(record.offset())) {
            asideCount = aside.size();
            change(0, -Chunk.bytes(record) - bareBytes(record));
        } else {
            addInLanes(-1);
            change(-1, -Chunk.bytes(record));
        }
    }

    /** It is gone from the log, and nothing is to be done any more. */
    void lost(ConsumerRecord<byte[], byte[]> bare) {
        listed(bare);
        change(0, -bareBytes(bare));
    }

    /** What a lane with a dropped record takes. */
    static long bareBytes(ConsumerRecord<byte[], byte[]> record) {
        return BARE_BYTES + Math.max(0, record.serializedKeySize());
    }

    /** A record is held again. */
    void refilled(ConsumerRecord<byte[], byte[]> record) {
        counts.refilled.increment();
        addInLanes(1);
        change(1, Chunk.bytes(record));
    }

    /** A record that was told as undone by its offset is told by its key from now on. */
    void listed(ConsumerRecord<byte[], byte[]> record) {
        undone.remove(record.offset());
        again.remove(record.offset());
    }

    /** A record that its key has told as undone is told by its offset from now on, until it is done. */
    void listedNoMore(ConsumerRecord<byte[], byte[]> record) {
        if (!undone.contains(record.offset())) {
            again.add(record.offset());
        }
    }

    /** A record that left the path is done. */
    void done(ConsumerRecord<byte[], byte[]> record) {
        if (!undone.remove(record.offset()) && !again.remove(record.offset())) {
            throw new IllegalStateException("record " + partition + "@" + record.offset() + " was done twice");
        }
        counts.processed.increment();
        leaves(record);
    }

    /**
     * Records of a stream are delivered: they are held no more. Their bytes count until the whole chunk has been
     * delivered, since its memory is released as a whole.
     *
     * @param acknowledged whether they are undone until they are acknowledged; else they are done
     */
    public void delivered(Chunk chunk, int from, int to, boolean acknowledged) {
        long passed = to < chunk.size ? 0 : chunk.bytesLeft;
        if (acknowledged) {
            for (int i = from; i < to; i++) {
                undone.add(chunk.records.get(i).offset());
            }
        } else {
            counts.processed.add(to - from);
        }
        chunk.bytesLeft -= passed;
        change(from - to, -passed);
    }

    /** Records of a stream that nobody has taken are dropped, or the memory of those that were is released. */
    public void givenBack(long fewerRecords, long fewerBytes) {
        change(-fewerRecords, -fewerBytes);
    }

    /** A delivered record is acknowledged; false when it was, or never was delivered. */
    public boolean acknowledge(long offset) {
        boolean known = undone.remove(offset);
        if (known) {
            counts.processed.increment();
        }
        return known;
    }

    /** All delivered records up to this offset are acknowledged; how many that changes. */
    public int acknowledgeUpTo(long offset) {
        int known = undone.removeRange(0, offset + 1);
        counts.processed.add(known);
        return known;
    }

    /**
     * Records from this offset on were not delivered after all.
     *
     * @param counted how many of them were counted as done
     */
    public void undelivered(long from, int counted) {
        undone.removeRange(from, Long.MAX_VALUE);
        counts.processed.add(-counted);
    }

    /** What is delivered and not acknowledged is given up; how many that is. */
    public int forget() {
        return undone.removeRange(0, Long.MAX_VALUE);
    }

    /** The lowest offset that is not done, given that everything below the cursor is delivered. */
    public long committable(long cursor) {
        return undone.committable(cursor);
    }

    /** Whether a record that was handed to a handler, or passed over, is done. */
    public boolean isDone(long offset, long cursor) {
        return offset < cursor && !undone.contains(offset);
    }

    /** Remembers which records are rejected. Before any record. */
    public void keepRejected() {
        rejected = ConcurrentHashMap.newKeySet();
    }

    /** Whether it makes a difference that a record is rejected, rather than counted as done. */
    public boolean keepsRejected() {
        return rejected != null;
    }

    /** The record is given up for good, and about to be counted as done. Any thread. */
    public void reject(ConsumerRecord<byte[], byte[]> record) {
        if (rejected != null) {
            rejected.add(record.offset());
        }
    }

    /** Whether a record that is done was rejected. */
    public boolean isRejected(long offset) {
        return rejected != null && rejected.contains(offset);
    }

    /** What is held beside records: outputs that wait for a transaction. */
    public void changeBytes(long more) {
        change(0, more);
    }

    private void change(long moreRecords, long moreBytes) {
        long nowRecords = records + moreRecords;
        long nowBytes = bytes + moreBytes;
        if (nowRecords < 0 || nowBytes < 0) {
            throw new IllegalStateException(
                    partition + " would hold " + nowRecords + " records, " + nowBytes + " bytes");
        }
        records = nowRecords;
        bytes = nowBytes;
        if (nowRecords <= signalBelow) {
            signalBelow = -1;
            wake.signal();
        }
    }

    /** Asks for one signal to the owner when no more than this many records are held. */
    void signalBelow(long few) {
        signalBelow = few;
        change(0, 0);
    }

    /** Everything is given up. */
    public void clear() {
        signalBelow = -1;
        records = 0;
        bytes = 0;
        aside.clear();
        asideCount = 0;
    }

    /** The lowest undone offset that left the cursor's path; -1 when there is none. */
    public long oldest() {
        if (again.isEmpty()) {
            return undone.isEmpty() ? -1 : undone.first();
        }
        return undone.isEmpty() ? again.first() : Math.min(again.first(), undone.first());
    }

    /** The same, but for some of them. */
    long oldest(Set<Long> without) {
        if (without.isEmpty()) {
            return oldest();
        }
        long[] oldest = {-1};
        LongConsumer look = offset -> oldest[0] = oldest[0] < 0 && !without.contains(offset) ? offset : oldest[0];
        all().forEach(look);
        return oldest[0];
    }

    /** Undone records that left the cursor's path. */
    public int undone() {
        return undone.size() + again.size();
    }

    /** Records that are held in lanes. Any thread. */
    int inLanes() {
        return inLanes.getOpaque();
    }

    private void addInLanes(int records) {
        inLanes.setOpaque(inLanes.getPlain() + records);
    }

    /** The undone offsets, in order. */
    private OffsetWindow all() {
        if (again.isEmpty()) {
            return undone;
        }
        TreeSet<Long> both = new TreeSet<>(again);
        LongConsumer add = both::add;
        undone.forEach(add);
        OffsetWindow all = new OffsetWindow();
        both.forEach(all::add);
        return all;
    }

    /**
     * What may be committed.
     *
     * @param cursor everything below it left the path or is done
     * @param spilled what is undone beside that, by key
     * @param restored what an earlier owner has done beyond the cursor
     * @param limit the most characters of metadata
     */
    Progress progress(long cursor, SpilledKeys spilled, DecodedMetadata.@Nullable Map restored, int limit) {
        return progress(partition, all(), spilled, cursor, restored, limit);
    }

    /** The same, where nothing is spilled. */
    public Progress progress(long cursor, DecodedMetadata.@Nullable Map restored, int limit) {
        return progress(cursor, SpilledKeys.NONE, restored, limit);
    }

    /**
     * As {@link #progress(long, SpilledKeys, DecodedMetadata.Map, int)}, where only these records below the cursor
     * count as undone.
     */
    static Progress progress(
            TopicPartition partition,
            OffsetWindow undone,
            SpilledKeys spilled,
            long cursor,
            DecodedMetadata.@Nullable Map restored,
            int limit) {
        if (restored == null || cursor >= restored.cursor()) {
            return OffsetMap.encode(partition, undone, spilled, cursor, limit);
        }
        OffsetWindow both = new OffsetWindow();
        LongConsumer add = both::add;
        undone.forEach(add);
        for (long offset : restored.undone()) {
            if (offset >= cursor) {
                add.accept(offset);
            }
        }
        return OffsetMap.encode(partition, both, spilled, restored.cursor(), limit);
    }

    /**
     * Whether taking this many more records could make the metadata longer than the limit, in whatever order records
     * finish.
     */
    public boolean mapIsNearLimit(long cursor, int more, int limit) {
        return mapIsNearLimit(cursor, SpilledKeys.NONE, more + Math.max(0, records - undone.size()), limit);
    }

    /** The same, where {@code taken} counts what is held and has not left the cursor's path. */
    boolean mapIsNearLimit(long cursor, SpilledKeys spilled, long taken, int limit) {
        if (spilled.isEmpty() && undone() + taken < limit) {
            return false; // A character carries more than a record can cost.
        }
        return OffsetMap.worstCaseChars(all(), spilled, cursor, (int) Math.min(Integer.MAX_VALUE, taken)) > limit;
    }

    /** The most characters that the metadata can take while nothing is fetched, without some of the offsets. */
    int worstCaseChars(long cursor, Set<Long> without, SpilledKeys spilled) {
        OffsetWindow left = new OffsetWindow();
        LongConsumer add = offset -> {
            if (!without.contains(offset)) {
                left.add(offset);
            }
        };
        all().forEach(add);
        return OffsetMap.worstCaseChars(left, spilled, cursor, 0);
    }
}
