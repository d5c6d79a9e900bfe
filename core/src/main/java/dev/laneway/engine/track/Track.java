package dev.laneway.engine.track;

import dev.laneway.CommitMode;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.WakeSignal;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One assignment of one partition: its records in offset order, the cursor that moves along them, and the lanes of
 * those that the cursor left behind unfinished.
 *
 * <h2>The cursor</h2>
 *
 * <p>At most one worker moves the cursor: the runner. It calls the handler for one record after another; each step is
 * one compare-and-swap of the {@link Cursor}. A single worker in offset order keeps every order there is, so while
 * handlers do not wait there is no look-up, no queue and no completion event, and keys do not matter.
 *
 * <h2>Lanes</h2>
 *
 * <p>When the runner's handler is seen to wait, another worker takes the cursor from it ({@link #steal}): the record
 * that runs becomes a {@link Lane}, its key is busy, and the other worker goes on behind it. The runner learns of that
 * when its own swap fails. A record whose key is busy joins that key's lane. An attempt that did not simply succeed
 * makes its record a lane too ({@link #detach}). So there are never more lanes than records held; {@link TrackLanes}
 * tells how they go on. Where handlers wait, records are lanes before they run ({@link #start}). Batches
 * ({@link Batch}) have no runner: each of their records is a lane from the start.
 *
 * <h2>Completion</h2>
 *
 * <p>Every record below the cursor is done, except those in the window of undone offsets, which a record enters when it
 * leaves the cursor's path for a lane, see {@link TrackLedger}. Nothing is reported of what the runner finishes.
 *
 * <h2>Locking</h2>
 *
 * <p>Everything but {@link #glide} happens under the {@code Guard}: whoever has taken the cursor from the runner under
 * the guard owns it. No user code runs, and nothing waits, under the guard.
 */
public final class Track extends AssignedRecords {
    public final TrackLanes lanes;
    public final LaneSpill spilled;
    private final Ordering ordering;
    private final boolean ahead;
    private final EventCounts counts;
    private final Cursor cursor;
    /** The size of a batch; 0 when records are handled one at a time. */
    private final int batchSize;
    /** Offset of the last record that was appended; below the cursor when there is none left. */
    private volatile long lastOffset;
    /** Records up to this offset have lingered long enough to form a batch that is not full. */
    private volatile long ripeOffset;

    private volatile @Nullable CursorRun runner;
    /** What the owner saw at its last look. */
    private long looked = -1;

    // All below is guarded.
    final ChunkQueue chunks;
    /** How many more records leave the cursor's path before they run. */
    private int apart;
    /** The first record of the last runner. */
    private long startedAt = -1;

    public Track(
            TopicPartition partition,
            long epoch,
            long start,
            DecodedMetadata.@Nullable Map restored,
            Options options,
            int batchSize,
            ReadyQueue queue,
            WakeSignal wake,
            EventCounts counts,
            LongSupplier clock,
            Function<? super Track, ? extends LaneSpill> spilling) {
        super(partition, epoch, new TrackLedger(partition, wake, counts), restored);
        this.ordering = options.ordering();
        this.ahead = options.commit() instanceof CommitMode.Ahead;
        this.batchSize = batchSize;
        this.counts = counts;
        this.lanes = new TrackLanes(guard, options, ledger, queue, wake, counts, clock);
        this.chunks = new ChunkQueue(ledger, start);
        this.lastOffset = start - 1;
        this.ripeOffset = start - 1;
        this.cursor = new Cursor(start);
        this.spilled = spilling.apply(this);
    }

    // ---------------------------------------------------------------- glances, without the guard

    /** Whether {@link #claim} is worth a try. */
    public boolean isClaimable() {
        long seen = cursor.look();
        long next = Cursor.offset(seen);
        return Cursor.isFree(seen) && lanes.gate.isOpen() && next <= lastOffset && (batchSize == 0 || isRipe(next));
    }

    private boolean isRipe(long next) {
        return next <= ripeOffset || lastOffset - next + 1 >= batchSize;
    }

    /** Whether a runner has records waiting behind the one that it runs. */
    public boolean isStealable() {
        long seen = cursor.look();
        return !Cursor.isFree(seen) && lanes.gate.isOpen() && Cursor.offset(seen) < lastOffset;
    }

    /** A value that changes with each record that the runner starts. */
    public long look() {
        return cursor.look();
    }

    /** Whether the runner is at the same record as when this was asked last. The owner only. */
    public boolean stoodStill() {
        long before = looked;
        looked = cursor.look();
        return looked == before;
    }

    /** The runner's thread; null when there is none. */
    public @Nullable Thread runnerThread() {
        CursorRun running = runner;
        return running == null ? null : running.thread;
    }

    // ---------------------------------------------------------------- the runner

    /** The hot path: steps from one record of a chunk to the next. False when the runner must ask {@link #finish}. */
    public boolean glide(long from, long to) {
        return cursor.glide(from, to);
    }

    /**
     * Gives a worker the cursor, the lane of a record that has left it, or a batch; null when another one has the
     * cursor, or no record may start.
     */
    public @Nullable Work claim(Thread by) {
        try (var _ = guard.enter()) {
            if (!cursor.isFree() || !lanes.gate.isOpen()) {
                return null;
            }
            if (batchSize == 0) {
                return start(by);
            }
            return isRipe(cursor.offset()) ? Batch.of(this, batchSize, ordering == Ordering.PARTITION, by) : null;
        }
    }

    /** As {@link #claim}, unless another thread has the guard. */
    public @Nullable Work claimUncontended(Thread by) {
        try (var entered = guard.tryEnter() ? guard : null) {
            return entered == null ? null : claim(by);
        }
    }

    /** As {@link #claim}, from the runner, whose record becomes a lane. Null when there is nothing to gain. */
    public @Nullable Work steal(Thread thief) {
        try (var _ = guard.enter()) {
            Lane victim = isStealable() ? takeFromRunner() : null;
            if (victim == null) {
                return null;
            }
            if (victim.record.offset() == startedAt) {
                apart = Work.TURN; // It had not come to a second record: handlers wait.
            }
            return start(thief);
        }
    }

    /** Where handlers wait, a runner per record would be found waiting: records leave the cursor before they run. */
    private @Nullable Work start(Thread by) {
        if (apart == 0) {
            CursorRun run = new CursorRun(this, by);
            boolean starts = startNext(run);
            startedAt = cursor.offset();
            return starts ? run : null;
        }
        Lane lane = null;
        if (lanes.gate.isOpen() && seekStartable()) {
            apart--;
            lane = leavePath(by);
        }
        free();
        return lane;
    }

    /**
     * The record of the run is done.
     *
     * @param leave whether its worker wants to give the cursor up
     * @return whether the run has a next record. Else it is over; if the cursor was taken from it, it has a lane
     */
    public boolean finish(CursorRun run, boolean leave) {
        try (var _ = guard.enter()) {
            if (run.lane != null) {
                return false;
            }
            counts.processed.add(chunks.moveTo(run.index() + 1));
            if (leave) {
                free();
                return false;
            }
            return startNext(run);
        }
    }

    /** The record of the run is not done: it becomes a lane, and the cursor is free. */
    public Lane detach(CursorRun run) {
        try (var _ = guard.enter()) {
            Lane lane = run.lane;
            if (lane == null) {
                lane = split(run, run.index());
                free();
            }
            return lane;
        }
    }

    /** Moves on to the next record that may start, past those of busy keys. Frees the cursor when there is none. */
    private boolean startNext(CursorRun run) {
        if (lanes.gate.isOpen() && seekStartable()) {
            if (runner != run) {
                runner = run; // Seldom: a volatile write for each record would cost.
            }
            run.moveTo(chunks.current(), chunks.index());
            boolean isAlone = lanes.table().size() == 0 || ordering == Ordering.UNORDERED;
            boolean glides = isAlone && restored == null && !chunks.current().isDelayed;
            cursor.start(chunks.record().offset(), glides);
            return true;
        }
        free();
        return false;
    }

    /** Moves the cursor to a record whose key is not busy; false at the end. */
    private boolean seekStartable() {
        for (Chunk chunk = chunks.head(); chunk != null; chunk = chunks.head()) {
            ConsumerRecord<byte[], byte[]> record = chunks.record();
            if (!spilled.mayPass(record.offset())) {
                return false;
            } else if (wasDone(record.offset()) || lanes.join(chunk, record)) {
                chunks.step();
            } else if (!chunk.isDelayed || lanes.delays.isDue(record)) {
                return true;
            } else if (!lanes.waitInLane(this, chunk, record)) {
                return false;
            }
        }
        return false;
    }

    void free() {
        long next = chunks.nextOffset();
        cursor.free(next);
        runner = null;
        spilled.mayPass(next);
        lanes.signalIfIdle();
    }

    /** Makes the runner's record a lane and frees the cursor; null when there is no runner or it was faster. */
    private @Nullable Lane takeFromRunner() {
        long seen = cursor.look();
        CursorRun victim = runner;
        if (Cursor.isFree(seen) || victim == null || !cursor.take(seen)) {
            return null;
        }
        return split(victim, chunks.current().indexOf(Cursor.offset(seen)));
    }

    private Lane split(CursorRun run, int at) {
        counts.processed.add(chunks.moveTo(at));
        Lane lane = leavePath(run.thread);
        run.lane = lane;
        return lane;
    }

    /** The record at the cursor becomes a lane. */
    Lane leavePath(Thread by) {
        Lane lane = Lane.of(this, chunks.record());
        ledger.left(chunks.current(), lane.record);
        lanes.add(lane, by);
        chunks.step();
        return lane;
    }

    /** Fills a batch that a ready lane has begun; the worker on this thread has the lane. */
    public Batch batchFrom(Lane lane, Thread by) {
        try (var _ = guard.enter()) {
            return Batch.of(lane, batchSize, ordering == Ordering.PARTITION, by);
        }
    }

    @Override
    public void ripen(long upTo) {
        ripeOffset = Math.max(ripeOffset, upTo);
    }

    // ---------------------------------------------------------------- the owner

    @Override
    public void append(Chunk chunk, long next) {
        try (var _ = guard.enter()) {
            chunks.append(chunk, next);
            lastOffset = chunk.records.getLast().offset();
            if (cursor.isFree()) {
                if (chunk.isDelayed && lanes.gate.isOpen()) {
                    seekStartable(); // Where the partition has to wait, the next poll fetches nothing of it.
                }
                free();
            }
        }
    }

    @Override
    public void skipTo(long position) {
        try (var _ = guard.enter()) {
            if (chunks.skipTo(position) && cursor.isFree()) {
                free();
            }
        }
    }

    @Override
    public long giveBack(long keepRecords, long keepBytes) {
        try (var _ = guard.enter()) {
            takeCursor();
            long from = chunks.giveBack(keepRecords, keepBytes);
            lastOffset = from < 0 ? lastOffset : from - 1;
            return from;
        }
    }

    @Override
    public void pause() {
        stop(() -> lanes.gate.pause(true));
    }

    @Override
    public void resume() {
        try (var _ = guard.enter()) {
            lanes.resume();
        }
    }

    @Override
    public void block(boolean predecessorBusy) {
        stop(() -> lanes.gate.block(predecessorBusy));
    }

    @Override
    public void close() {
        stop(lanes.gate::close);
    }

    /** If no record may start after this, the runner asks before its next step. */
    private void stop(Runnable change) {
        try (var _ = guard.enter()) {
            change.run();
            if (!lanes.gate.isOpen()) {
                cursor.halt();
            }
        }
    }

    @Override
    public int giveUp() {
        try (var _ = guard.enter()) {
            takeCursor();
            int inFlight = lanes.drop();
            chunks.clear();
            return inFlight;
        }
    }

    @Override
    public boolean isDropped() {
        return lanes.isDropped();
    }

    /** Takes the cursor from the runner, if there is one, so that its record is a lane like others. */
    @Nullable
    Lane takeCursor() {
        Lane lane = null;
        while (lane == null && !cursor.isFree()) {
            lane = takeFromRunner(); // Null when the runner glided on between the look and the swap.
        }
        if (lane != null) {
            free();
        }
        return lane;
    }

    @Override
    public int busy() {
        try (var _ = guard.enter()) {
            return lanes.busy() + (cursor.isFree() ? 0 : 1);
        }
    }

    @Override
    public Progress progress(int metadataLimit) {
        try (var _ = guard.enter()) {
            long at = cursor.offset();
            return ahead // Then what has begun counts as done.
                    ? UnstartedRecords.progress(
                            partition, lanes.table(), cursor.isFree() ? at : at + 1, restored, metadataLimit)
                    : ledger.progress(at, spilled.keys(), restored, metadataLimit);
        }
    }

    @Override
    public boolean mapIsNearLimit(int records, int limit) {
        try (var _ = guard.enter()) {
            long taken = records + ledger.records() - ledger.inLanes();
            return ledger.mapIsNearLimit(cursor.offset(), spilled.keys(), taken, limit);
        }
    }

    @Override
    void restoredEndsAt(long offset) {
        try (var _ = guard.enter()) {
            super.restoredEndsAt(offset);
            spilled.restoredEndsAt(offset);
        }
    }

    @Override
    public void placed() {
        spilled.begin();
    }

    /** All below this has been passed. */
    long cursorOffset() {
        return cursor.offset();
    }

    /** The offset that the runner is at; -1 when there is no runner. */
    public long runningOffset() {
        return cursor.running();
    }
}
