package dev.laneway.engine;

import dev.laneway.AttemptTimeoutException;
import dev.laneway.NullKeys;
import dev.laneway.Ordering;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Future;
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
 * one compare-and-swap of {@link #word}, which holds the offset of the record that runs and the mode. A single worker
 * in offset order keeps every order there is, so while handlers do not wait there is no look-up, no queue and no
 * completion event, and keys do not matter.
 *
 * <h2>Lanes</h2>
 *
 * <p>When the runner's handler is seen to wait, another worker takes the cursor from it ({@link #steal}): the record
 * that runs becomes a {@link Lane}, its key is busy, and the thief goes on behind it. The runner learns of that when
 * its own swap fails. A record whose key is busy joins that key's lane. An attempt that did not simply succeed makes
 * its record a lane too ({@link #detach}). So lanes exist only for keys whose record is in flight elsewhere or waits,
 * and there are never more than records held.
 *
 * <h2>Completion</h2>
 *
 * <p>Every record below the cursor is done, except those in the window of undone offsets, which a record enters when it
 * leaves the cursor's path for a lane. Nothing has to be reported for a record that the runner finishes.
 *
 * <h2>Locking</h2>
 *
 * <p>Everything but {@link #glide} happens under this object's monitor. Since the word's only change outside the
 * monitor is the runner's own step from one record to the next of the same chunk, a thief that has changed the word
 * under the monitor owns the cursor. No user code runs, and nothing waits, under the monitor. On JDK 24 and later (JEP
 * 491) a monitor does not hold a virtual thread's carrier.
 */
final class Track {
    /** Nobody moves the cursor; the word's offset is that of the next record. */
    private static final int FREE = 0;
    /** The runner may step on by itself. */
    private static final int GLIDING = 1;
    /**
     * The runner must take the monitor for each step: there are busy keys, or records that an earlier owner has done.
     */
    private static final int STEPPING = 2;

    private static final int MODE_BITS = 2;
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Track.class, "word", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    final TopicPartition partition;
    final long epoch;
    private final Ordering ordering;
    private final NullKeys nullKeys;
    private final Scheduler scheduler;
    private final Counts counts;

    /** Offset of the cursor's record, and the mode. */
    private volatile long word;
    /** Offset of the last record that was appended; below the cursor when there is none left. */
    private volatile long lastOffset;
    /** Whether a record may start. */
    private volatile boolean open = true;

    volatile @Nullable Worker runner;
    private volatile long heldRecords;
    private volatile long heldBytes;
    /** What the owner saw at its last look. */
    private long looked = -1;

    // All below is guarded by this monitor.
    private final ArrayDeque<Chunk> chunks = new ArrayDeque<>();
    private final LaneTable lanes = new LaneTable();
    private final OffsetWindow undone = new OffsetWindow();
    /** Position in the first chunk: of the runner's record when it last held the monitor, or of the next record. */
    private int index;
    /** Where the log goes on after the last chunk. */
    private long end;

    private Decoded.@Nullable Map restored;
    private int activeLanes;
    private int deliveries;
    private boolean paused;
    private boolean blocked;
    private boolean closed;
    private boolean dropped;
    private long signalBelow = -1;
    private long expiryWord = -1;
    private long expirySinceNanos;

    Track(
            TopicPartition partition,
            long epoch,
            long start,
            Decoded.@Nullable Map restored,
            Ordering ordering,
            NullKeys nullKeys,
            Scheduler scheduler,
            Counts counts) {
        this.partition = partition;
        this.epoch = epoch;
        this.ordering = ordering;
        this.nullKeys = nullKeys;
        this.scheduler = scheduler;
        this.counts = counts;
        this.restored = restored;
        this.end = start;
        this.lastOffset = start - 1;
        this.word = start << MODE_BITS;
    }

    // ---------------------------------------------------------------- the runner

    /**
     * The hot path: steps from one record of a chunk to the next. False when the runner has to ask {@link #finished}.
     */
    boolean glide(long from, long to) {
        return WORD.compareAndSet(this, from << MODE_BITS | GLIDING, to << MODE_BITS | GLIDING);
    }

    /** Whether {@link #claim} is worth a try; a glance without the monitor. */
    boolean isClaimable() {
        long seen = word;
        return mode(seen) == FREE && open && offset(seen) <= lastOffset;
    }

    /** Whether a runner has records waiting behind the one that it runs; a glance without the monitor. */
    boolean isStealable() {
        long seen = word;
        return mode(seen) != FREE && open && offset(seen) < lastOffset;
    }

    /** A value that changes with each record that the runner starts. */
    long look() {
        return word;
    }

    /** Whether the runner's thread waits; a glance. */
    boolean runnerWaits(Host host) {
        Worker running = runner;
        Thread thread = running == null ? null : running.thread();
        return thread != null && host.isWaiting(thread);
    }

    /** Whether the runner is at the same record as when this was asked last. The owner only. */
    boolean stoodStill() {
        long seen = word;
        boolean same = seen == looked;
        looked = seen;
        return same;
    }

    /** Makes the worker the runner if there is none and a record may start. */
    synchronized boolean claim(Worker worker) {
        return mode(word) == FREE && startNext(worker);
    }

    /** Takes the cursor from the runner, whose record becomes a lane. False when there is nothing to gain. */
    synchronized boolean steal(Worker thief) {
        if (!isStealable() || !takeFromRunner()) {
            return false;
        }
        return startNext(thief);
    }

    /**
     * The record that the worker has run is done. True when the worker has a next record, as runner; its lane is set
     * when the cursor was taken from it.
     */
    synchronized boolean finished(Worker worker, boolean leave) {
        if (worker.lane != null) {
            return false;
        }
        int at = worker.index;
        counts.processed.add(at - index + 1L);
        index = at + 1;
        if (leave) {
            free();
            return false;
        }
        return startNext(worker);
    }

    /**
     * The record that the worker has run is not done: it becomes a lane, and the cursor is free. The worker keeps the
     * lane.
     */
    synchronized Lane detach(Worker worker) {
        Lane taken = worker.lane;
        if (taken != null) {
            return taken;
        }
        Lane lane = split(worker, worker.index);
        free();
        worker.lane = lane;
        return lane;
    }

    /** Moves on to the next record that may start, past those of busy keys. Frees the cursor when there is none. */
    private boolean startNext(Worker worker) {
        for (; open; index++) {
            Chunk chunk = head();
            if (chunk == null) {
                break;
            }
            ConsumerRecord<byte[], byte[]> record = chunk.records.get(index);
            if (wasDone(record.offset()) || joinsLane(chunk, record)) {
                continue;
            }
            runner = worker;
            worker.run(this, chunk, index);
            boolean glides = restored == null && (lanes.size() == 0 || ordering == Ordering.UNORDERED);
            word = record.offset() << MODE_BITS | (glides ? GLIDING : STEPPING);
            return true;
        }
        free();
        return false;
    }

    /** The chunk that holds the cursor's next record; leaves those that it has passed. */
    private @Nullable Chunk head() {
        Chunk chunk = chunks.peekFirst();
        while (chunk != null && index >= chunk.size) {
            chunks.removeFirst();
            release(chunk.recordsLeft, chunk.bytesLeft);
            index = 0;
            chunk = chunks.peekFirst();
        }
        return chunk;
    }

    private void free() {
        Chunk chunk = head();
        word = (chunk == null ? end : chunk.records.get(index).offset()) << MODE_BITS;
        runner = null;
        signalIfIdle();
    }

    private boolean wasDone(long offset) {
        if (restored != null) {
            if (offset < restored.cursor()) {
                return restored.isDone(offset);
            }
            restored = null;
        }
        return false;
    }

    private boolean joinsLane(Chunk chunk, ConsumerRecord<byte[], byte[]> record) {
        if (lanes.size() == 0 || !isKeyed(record)) {
            return false;
        }
        byte[] key = record.key();
        Lane lane = lanes.find(key, LaneTable.hash(key));
        if (lane == null) {
            return false;
        }
        lane.follow(record);
        leavePath(chunk, record);
        return true;
    }

    private boolean takeFromRunner() {
        long seen = word;
        Worker victim = runner;
        if (mode(seen) == FREE || victim == null) {
            return false;
        }
        if (!WORD.compareAndSet(this, seen, seen & -1L << MODE_BITS)) {
            return false;
        }
        Chunk chunk = chunks.getFirst();
        victim.lane = split(victim, chunk.indexOf(offset(seen)));
        return true;
    }

    /** Makes a lane of the runner's record and moves the cursor behind it. */
    private Lane split(Worker worker, int at) {
        Chunk chunk = chunks.getFirst();
        ConsumerRecord<byte[], byte[]> record = chunk.records.get(at);
        counts.processed.add(at - index);
        boolean keyed = isKeyed(record);
        Lane lane = new Lane(this, record, keyed ? LaneTable.hash(record.key()) : 0, keyed);
        lane.worker = worker;
        lanes.add(lane);
        activeLanes++;
        leavePath(chunk, record);
        index = at + 1;
        refreshOpen();
        return lane;
    }

    private void leavePath(Chunk chunk, ConsumerRecord<byte[], byte[]> record) {
        chunk.recordsLeft--;
        chunk.bytesLeft -= Chunk.bytes(record);
        undone.add(record.offset());
    }

    private boolean isKeyed(ConsumerRecord<byte[], byte[]> record) {
        return ordering == Ordering.KEY && (record.key() != null || nullKeys == NullKeys.ORDERED);
    }

    // ---------------------------------------------------------------- lanes

    /** How a worker goes on after an attempt of a lane. */
    enum Next {
        /** With the lane's next record. */
        SAME_LANE,
        /** With other work. */
        OTHER_WORK,
        /** The attempt limit was passed: the attempt failed, whatever the handler returned. */
        TIMED_OUT
    }

    /** The lane's record is done. */
    synchronized Next ended(Lane lane) {
        boolean timedOut = calm(lane);
        if (dropped) {
            return late();
        }
        if (timedOut) {
            return Next.TIMED_OUT;
        }
        done(lane.record);
        return nextOf(lane);
    }

    /**
     * The lane's record has outputs, which the worker sends next, before it calls {@link #goesOn}. SAME_LANE when it
     * may.
     */
    synchronized Next delivers(Lane lane) {
        boolean timedOut = calm(lane);
        if (dropped) {
            return late();
        }
        if (timedOut) {
            return Next.TIMED_OUT;
        }
        deliveries++;
        return Next.SAME_LANE;
    }

    /** The lane's outputs are on their way: the lane goes on, the record is not done. */
    synchronized Next goesOn(Lane lane) {
        return dropped ? late() : nextOf(lane);
    }

    private Next late() {
        counts.late.increment();
        activeLanes--;
        signalIfIdle();
        return Next.OTHER_WORK;
    }

    private Next nextOf(Lane lane) {
        lane.ticket++;
        lane.attempt = 1;
        lane.stage = null;
        ConsumerRecord<byte[], byte[]> next = closed ? null : lane.pollFollower();
        if (next == null) {
            end(lane);
            return Next.OTHER_WORK;
        }
        lane.record = next;
        if (paused || (++lane.inARow >= Scheduler.TURN && scheduler.isContended())) {
            lane.state = Lane.State.READY;
            lane.worker = null;
            activeLanes--;
            if (!paused) {
                scheduler.ready(lane);
            }
            return Next.OTHER_WORK;
        }
        lane.state = Lane.State.RUNNING;
        return Next.SAME_LANE;
    }

    private void end(Lane lane) {
        lane.state = Lane.State.ENDED;
        lane.worker = null;
        activeLanes--;
        lanes.remove(lane);
        refreshOpen();
        signalIfIdle();
    }

    /** Clears what an interrupt may have left behind; true when the attempt was over its limit. */
    private static boolean calm(Lane lane) {
        boolean timedOut = lane.timedOut;
        if (lane.interrupted) {
            lane.interrupted = false;
            lane.timedOut = false;
            Thread.interrupted();
        }
        return timedOut;
    }

    /**
     * A worker begins with a lane from the ready queue. False when its track has closed, or it has to wait for the end
     * of a pause.
     */
    synchronized boolean begin(Lane lane, Worker worker) {
        if (lane.state != Lane.State.READY || dropped) {
            return false;
        }
        if (lane.result == null) {
            if (closed || paused) {
                return false;
            }
            activeLanes++;
        }
        lane.state = Lane.State.RUNNING;
        lane.ticket++;
        lane.inARow = 0;
        lane.worker = worker;
        return true;
    }

    /** The lane's attempt failed and is to be made again later. False when the track is gone. */
    synchronized boolean waits(Lane lane) {
        calm(lane);
        lane.worker = null;
        if (dropped) {
            late();
            return false;
        }
        lane.state = Lane.State.WAITING;
        lane.attempt++;
        lane.ticket++;
        lane.stage = null;
        activeLanes--;
        signalIfIdle();
        return !closed;
    }

    /** Whether the attempt was over its limit; clears the interrupt. */
    synchronized boolean isTimedOut(Lane lane) {
        return calm(lane);
    }

    /** The lane's record will never be done by this member: the consumer stops. */
    synchronized void stops(Lane lane) {
        calm(lane);
        lane.state = Lane.State.ENDED;
        lane.worker = null;
        activeLanes--;
        signalIfIdle();
    }

    /** The delay of a waiting lane is over. */
    synchronized void wake(Lane lane) {
        if (lane.state == Lane.State.WAITING && !closed) {
            lane.state = Lane.State.READY;
            if (!paused) {
                scheduler.ready(lane);
            }
        }
    }

    /**
     * The lane's handler has returned a stage; the answer will carry the ticket that this returns. -1 when it is too
     * late for one.
     */
    synchronized int pends(Lane lane, Result.Pending pending) {
        calm(lane);
        lane.worker = null;
        if (dropped) {
            late();
            return -1;
        }
        lane.state = Lane.State.PENDING;
        lane.stage = pending.stage();
        return lane.ticket;
    }

    /** A stage has completed. False when nobody waits for it any more. */
    synchronized boolean completed(Lane lane, int ticket, Result result) {
        if (lane.ticket != ticket || lane.state != Lane.State.PENDING) {
            counts.late.increment();
            return false;
        }
        lane.stage = null;
        lane.result = result;
        lane.state = Lane.State.READY;
        return true;
    }

    /** What a record sent has been acknowledged, or given up by policy: the record is done. */
    synchronized void delivered(ConsumerRecord<byte[], byte[]> record) {
        deliveries--;
        if (dropped) {
            counts.late.increment();
        } else {
            done(record);
        }
        signalIfIdle();
    }

    /** What a record sent can never be acknowledged, and the consumer stops. */
    synchronized void undeliverable() {
        deliveries--;
        signalIfIdle();
    }

    private void done(ConsumerRecord<byte[], byte[]> record) {
        if (!undone.remove(record.offset())) {
            throw new IllegalStateException("record " + partition + "@" + record.offset() + " was done twice");
        }
        counts.processed.increment();
        release(1, Chunk.bytes(record));
    }

    private void release(int records, long bytes) {
        long left = heldRecords - records;
        long leftBytes = heldBytes - bytes;
        heldRecords = left;
        heldBytes = leftBytes;
        if (left <= signalBelow) {
            signalBelow = -1;
            scheduler.signalOwner();
        }
    }

    private void signalIfIdle() {
        if (closed && busy() == 0) {
            scheduler.signalOwner();
        }
    }

    private void refreshOpen() {
        open = !closed && !paused && !blocked && (ordering != Ordering.PARTITION || lanes.size() == 0);
    }

    private static int mode(long word) {
        return (int) word & (1 << MODE_BITS) - 1;
    }

    private static long offset(long word) {
        return word >>> MODE_BITS;
    }

    // ---------------------------------------------------------------- the owner

    /** Adds what a poll returned. */
    synchronized void append(List<ConsumerRecord<byte[], byte[]>> records, long next) {
        Chunk chunk = new Chunk(records);
        chunks.addLast(chunk);
        release(-chunk.recordsLeft, -chunk.bytesLeft);
        end = next;
        lastOffset = records.getLast().offset();
        if (mode(word) == FREE) {
            free();
        }
    }

    /**
     * The log goes on at this offset: what lies before it and was never returned (markers, compacted records) is done.
     */
    synchronized void skipTo(long position) {
        if (position > end) {
            end = position;
            if (mode(word) == FREE && chunks.isEmpty()) {
                free();
            }
        }
    }

    /** Records fetched and not done; up to a chunk too many while its runner glides. */
    long heldRecords() {
        return heldRecords;
    }

    /** Bytes of the records held. */
    long heldBytes() {
        return heldBytes;
    }

    /** Wakes the owner when no more than this many records are held. */
    synchronized void signalBelow(long records) {
        signalBelow = records;
        if (heldRecords <= records) {
            signalBelow = -1;
            scheduler.signalOwner();
        }
    }

    /** Starts no further record until {@link #resume}. */
    synchronized void pause() {
        paused = true;
        halt();
    }

    /** Ends {@link #pause}. */
    synchronized void resume() {
        paused = false;
        refreshOpen();
        for (Lane lane = lanes.first(); lane != null; lane = lane.next) {
            if (lane.state == Lane.State.READY) {
                scheduler.ready(lane);
            }
        }
    }

    /** Starts nothing as long as an earlier assignment of the partition still has work in flight. */
    synchronized void block(boolean predecessorBusy) {
        blocked = predecessorBusy;
        halt();
    }

    /** Starts no further record, for good. What is in flight goes on and counts. */
    synchronized void close() {
        closed = true;
        halt();
    }

    /** Makes the runner ask before its next step. */
    private void halt() {
        refreshOpen();
        long seen = word;
        while (!open && mode(seen) == GLIDING && !WORD.compareAndSet(this, seen, seen - GLIDING + STEPPING)) {
            seen = word;
        }
    }

    /**
     * Gives up what is in flight: it is interrupted, and whatever comes of it is late. Returns how many records that
     * were.
     */
    synchronized int drop() {
        if (dropped) {
            return 0;
        }
        closed = true;
        refreshOpen();
        takeFromRunner();
        word = word & -1L << MODE_BITS;
        int inFlight = busy();
        dropped = true;
        for (Lane lane = lanes.first(); lane != null; lane = lane.next) {
            Worker worker = lane.worker;
            if (lane.state == Lane.State.RUNNING && worker != null) {
                lane.interrupted = true;
                worker.interrupt();
            } else if (lane.state == Lane.State.PENDING) {
                lane.ticket++;
                activeLanes--;
                cancel(lane);
                scheduler.abandoned();
            } else if (lane.result != null) {
                activeLanes--;
            }
        }
        chunks.clear();
        heldRecords = 0;
        heldBytes = 0;
        return inFlight;
    }

    /** Records whose handler runs or whose outputs are not acknowledged. */
    synchronized int busy() {
        return activeLanes + deliveries + (mode(word) == FREE ? 0 : 1);
    }

    /** What may be committed. */
    synchronized Progress progress(int metadataLimit) {
        long cursor = offset(word);
        long base = undone.committable(cursor);
        Decoded.Map earlier = restored;
        if (earlier == null || cursor >= earlier.cursor()) {
            return new Progress(base, undone.isEmpty() ? "" : OffsetMap.encode(base, undone, cursor, metadataLimit));
        }
        OffsetWindow both = new OffsetWindow();
        undone.forEach(both::add);
        for (long offset : earlier.undone()) {
            if (offset >= cursor) {
                both.add(offset);
            }
        }
        base = both.committable(earlier.cursor());
        return new Progress(base, both.isEmpty() ? "" : OffsetMap.encode(base, both, earlier.cursor(), metadataLimit));
    }

    /** Whether taking this many more records could make the map of done records larger than commit metadata may be. */
    synchronized boolean mapIsNearLimit(int records, int limit) {
        long more = records + heldRecords - undone.size();
        if (undone.size() + more < limit) {
            return false; // A character carries more than a record can cost.
        }
        return OffsetMap.worstCaseChars(undone, offset(word), (int) Math.min(Integer.MAX_VALUE, more)) > limit;
    }

    /**
     * Ends attempts that have run for longer than the limit: a worker is interrupted, an asynchronous handler's stage
     * is cancelled. Since no worker reads the clock for this, an attempt counts from when the owner first sees it.
     *
     * @return how many were ended
     */
    synchronized int expire(long nowNanos, Duration limit) {
        Worker running = runner;
        if (running != null && mode(word) != FREE) {
            if (word != expiryWord) {
                expiryWord = word;
                expirySinceNanos = nowNanos;
            } else if (nowNanos - expirySinceNanos >= limit.toNanos() && takeFromRunner()) {
                free();
                Lane lane = running.lane;
                if (lane != null) {
                    lane.seenTicket = lane.ticket;
                    lane.seenNanos = expirySinceNanos;
                }
            }
        }
        int ended = 0;
        for (Lane lane = lanes.first(); lane != null; lane = lane.next) {
            if ((lane.state != Lane.State.RUNNING && lane.state != Lane.State.PENDING) || lane.timedOut) {
                continue;
            }
            if (lane.seenTicket != lane.ticket) {
                lane.seenTicket = lane.ticket;
                lane.seenNanos = nowNanos;
            } else if (nowNanos - lane.seenNanos >= limit.toNanos()) {
                expire(lane, limit);
                ended++;
            }
        }
        return ended;
    }

    private void expire(Lane lane, Duration limit) {
        Worker worker = lane.worker;
        if (lane.state == Lane.State.RUNNING && worker != null) {
            lane.timedOut = true;
            lane.interrupted = true;
            worker.interrupt();
        } else if (lane.state == Lane.State.PENDING) {
            lane.ticket++;
            lane.result = new Result.Failed(new AttemptTimeoutException(lane.toString(), limit));
            lane.state = Lane.State.READY;
            cancel(lane);
            scheduler.abandoned();
            scheduler.ready(lane);
        }
    }

    /** How many workers and asynchronous handlers are busy with this track, and how many of those wait. */
    record Sample(int workers, int waiting) {}

    /** Looks at up to 64 lanes and the runner. */
    synchronized Sample sample(Host host) {
        int workers = mode(word) == FREE ? 0 : 1;
        int waiting = workers == 1 && runnerWaits(host) ? 1 : 0;
        for (Lane lane = lanes.first(); lane != null && workers < 64; lane = lane.next) {
            Worker worker = lane.worker;
            Thread thread = worker == null ? null : worker.thread();
            if (lane.state == Lane.State.PENDING) {
                workers++;
                waiting++;
            } else if (lane.state == Lane.State.RUNNING && thread != null) {
                workers++;
                waiting += host.isWaiting(thread) ? 1 : 0;
            }
        }
        return new Sample(workers, waiting);
    }

    /** The lowest offset that was started and is not done; -1 when there is none. */
    synchronized long oldestStarted() {
        if (!undone.isEmpty()) {
            return undone.first();
        }
        return mode(word) == FREE ? -1 : offset(word);
    }

    /** Who is at work at an offset, in words: the lane, its state and its worker's stack. */
    synchronized String describe(long offset) {
        for (Lane lane = lanes.first(); lane != null; lane = lane.next) {
            if (lane.record.offset() == offset) {
                Worker worker = lane.worker;
                String key = lane.keyed ? "key hash " + Integer.toHexString(lane.hash) + ", " : "";
                return key + lane.state + " in attempt " + lane.attempt + (worker == null ? "" : stack(worker));
            }
        }
        Worker running = runner;
        return mode(word) != FREE && offset(word) == offset && running != null
                ? "RUNNING in attempt 1" + stack(running)
                : "it waits behind a busy key or for an acknowledgement";
    }

    private static String stack(Worker worker) {
        Thread thread = worker.thread();
        if (thread == null) {
            return "";
        }
        StringBuilder stack = new StringBuilder(", at");
        for (StackTraceElement frame : thread.getStackTrace()) {
            stack.append(' ').append(frame);
            if (stack.length() > 1_000) {
                break;
            }
        }
        return stack.toString();
    }

    /** Lanes now. */
    synchronized int laneCount() {
        return lanes.size();
    }

    /** Records that were started or wait behind a busy key, for a retry or for an acknowledgement. */
    synchronized int undoneCount() {
        return undone.size() + (mode(word) == FREE ? 0 : 1);
    }

    private static void cancel(Lane lane) {
        if (lane.stage instanceof Future<?> future) {
            future.cancel(true);
        }
        lane.stage = null;
    }
}
