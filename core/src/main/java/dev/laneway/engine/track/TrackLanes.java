package dev.laneway.engine.track;

import dev.laneway.Options;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.Guard;
import dev.laneway.engine.runtime.WakeSignal;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a track, from a record's leaving the cursor's path to the end of the last record behind it, and whether
 * records may start at all. Every method takes the track's guard; those whose comment says so must be called with it. A
 * lane moves like this:
 *
 * <pre>
 *   RUNNING -&gt; RUNNING   next record of the lane, same worker
 *   RUNNING -&gt; PENDING   the handler returned a stage
 *   PENDING -&gt; READY     it completed, or was over its limit
 *   RUNNING -&gt; WAITING   the attempt failed and is made again
 *   WAITING -&gt; READY     the delay is over, or the time of the record has come
 *   RUNNING -&gt; READY     others have waited long enough
 *   READY   -&gt; RUNNING   a worker takes it
 *   RUNNING -&gt; SETTLING  the record emits, or is dead-lettered, or was in a batch
 *   SETTLING -&gt; RUNNING, WAITING, READY, ENDED   as from RUNNING
 *   RUNNING -&gt; ENDED     no record is left
 * </pre>
 */
public final class TrackLanes {
    /** How a worker goes on after an attempt. */
    public enum Next {
        /** With the lane's next record. */
        SAME_LANE,
        /** With other work. */
        OTHER_WORK,
        /** The attempt limit was passed: the attempt failed, whatever the handler returned. */
        TIMED_OUT
    }

    private final Guard guard;
    private final TrackLedger ledger;
    private final ReadyQueue queue;
    private final WakeSignal wake;
    private final EventCounts counts;
    private final LaneTable table;
    final TrackGate gate;
    final Delays<Lane> delays;
    /** Lanes with a handler at work, or with a result that a worker has yet to act on. */
    private int active;

    public final Deliveries deliveries;

    TrackLanes(
            Guard guard,
            Options options,
            TrackLedger ledger,
            ReadyQueue queue,
            WakeSignal wake,
            EventCounts counts,
            LongSupplier clock) {
        this.guard = guard;
        this.table = new LaneTable(options.ordering(), options.nullKeys());
        this.gate = new TrackGate(options.ordering(), table::size);
        this.delays = new Delays<>(options, clock, wake);
        this.ledger = ledger;
        this.deliveries = new Deliveries(guard, gate, ledger, counts, this::signalIfIdle);
        this.queue = queue;
        this.wake = wake;
        this.counts = counts;
    }

    // ---------------------------------------------------------------- for the track, under the guard

    public LaneTable table() {
        return table;
    }

    /** A record leaves the cursor's path: a worker runs it, or will. */
    void add(Lane lane, Thread by) {
        lane.worker = by;
        table.add(lane);
        active++;
        gate.refresh();
    }

    /** The time of the record at the cursor has not come: it waits in a lane. False where the cursor waits with it. */
    boolean waitInLane(Track track, Chunk chunk, ConsumerRecord<byte[], byte[]> record) {
        if (delays.isRising) {
            delays.addCursor(record);
            gate.delay(true);
            return false;
        }
        Lane lane = Lane.of(track, record);
        ledger.left(chunk, record);
        table.add(lane);
        delay(lane);
        gate.refresh();
        track.chunks.step();
        return gate.isOpen();
    }

    private void delay(Lane lane) {
        lane.state = Lane.State.WAITING;
        lane.isDelayed = true;
        delays.add(lane, lane.record);
        lane.waitsUntil(HeldRecord.notBefore(lane.record));
    }

    /** Whether the record's key is busy: then its lane holds the record, or leaves it to the log. */
    boolean join(Chunk chunk, ConsumerRecord<byte[], byte[]> record) {
        Lane lane = table.find(record);
        if (lane != null) {
            lane.join(chunk, record);
        }
        return lane != null;
    }

    /** What is in flight beside the runner's own record. */
    int busy() {
        return active + deliveries.count();
    }

    /** Whether the track was given up; any thread. */
    public boolean isDropped() {
        try (var _ = guard.enter()) {
            return gate.isDropped();
        }
    }

    void resume() {
        gate.pause(false);
        for (Lane lane : table) {
            if (lane.state == Lane.State.READY) {
                queue.ready(lane);
            }
        }
    }

    /** The cursor must stay where it is, or may go on. */
    void hold(boolean keyUnknown) {
        gate.hold(keyUnknown);
        workArrived();
    }

    void workArrived() {
        if (gate.isOpen()) {
            queue.workArrived();
        }
    }

    /** A lane's next record is there again. */
    void restart(Lane lane) {
        lane.record = lane.nextFollower();
        if (!delays.isDue(lane.record)) {
            delay(lane);
            return;
        }
        lane.state = Lane.State.READY;
        if (!gate.isPaused()) {
            queue.ready(lane);
        }
    }

    /** A lane that no worker has ends: no record of it is left. */
    void end(Lane lane) {
        lane.state = Lane.State.ENDED;
        table.remove(lane);
        gate.refresh();
    }

    /** Interrupts and forgets what is in flight; returns how much that was. */
    int drop() {
        if (gate.isDropped()) {
            return 0;
        }
        int inFlight = busy();
        gate.drop();
        delays.clear();
        for (Lane lane : table) {
            Thread worker = lane.worker;
            if (lane.state == Lane.State.RUNNING && worker != null) {
                lane.interrupted = true;
                worker.interrupt();
            } else if (lane.state == Lane.State.PENDING) {
                lane.cancel(queue); // It stays busy until its stage completes: the next assignment must not overlap it.
            } else if (lane.result != null) {
                active--;
            }
        }
        return inFlight;
    }

    /** Ends an attempt that has run for too long. */
    void expire(Lane lane, Throwable timeout) {
        Thread worker = lane.worker;
        if (lane.state == Lane.State.RUNNING && worker != null) {
            lane.timedOut = true;
            lane.interrupted = true;
            worker.interrupt();
        } else if (lane.state == Lane.State.PENDING) {
            lane.ticket++;
            lane.result = new AttemptResult.Failed(timeout);
            lane.state = Lane.State.READY;
            lane.cancel(queue);
            queue.releasePending();
            queue.ready(lane);
        }
    }

    /** Tells the owner when a closed track has come to rest. */
    void signalIfIdle() {
        if (gate.isClosed() && busy() == 0) {
            wake.signal();
        }
    }

    // ---------------------------------------------------------------- for workers

    /** The lane's record is done. What it emits is null, or waits for a transaction. */
    public Next finish(Lane lane, @Nullable OutgoingRecords emitted) {
        try (var _ = guard.enter()) {
            boolean timedOut = lane.clearFlags();
            if (gate.isDropped()) {
                return discardLate();
            }
            if (timedOut) {
                return Next.TIMED_OUT;
            }
            if (emitted != null) {
                lane.track.outputs.add(emitted);
            }
            ledger.done(lane.record);
            return nextOf(lane);
        }
    }

    /** The record has outputs, which the worker sends next, before it calls {@link #advance}; SAME_LANE if it may. */
    public Next beginDelivery(Lane lane) {
        try (var _ = guard.enter()) {
            boolean timedOut = lane.clearFlags();
            if (gate.isDropped()) {
                return discardLate();
            }
            if (timedOut) {
                return Next.TIMED_OUT;
            }
            lane.state = Lane.State.SETTLING;
            deliveries.begin();
            return Next.SAME_LANE;
        }
    }

    /** The lane's outputs are on their way: the lane goes on, the record is not done. */
    public Next advance(Lane lane) {
        try (var _ = guard.enter()) {
            return gate.isDropped() ? discardLate() : nextOf(lane);
        }
    }

    private Next nextOf(Lane lane) {
        lane.forgetAttempts();
        // Records of a batch have been handled already: they are settled even if nothing new may start.
        boolean handled = lane.batchLeft > 0;
        ConsumerRecord<byte[], byte[]> next = gate.isClosed() && !handled ? null : lane.pollFollower();
        if (next == null) {
            SpilledTail tail = lane.tail;
            lane.state = tail == null || gate.isClosed() ? Lane.State.ENDED : Lane.State.SPILLED;
            lane.worker = null;
            active--;
            if (lane.state == Lane.State.ENDED && !lane.hasFollower()) {
                table.remove(lane); // Else it tells which records were never started, see UnstartedRecords.
            } else if (tail != null && !gate.isClosed()) {
                lane.track.spilled.shrinks(tail);
            }
            gate.refresh();
            signalIfIdle();
            return Next.OTHER_WORK;
        }
        lane.record = next;
        if (handled) {
            lane.state = Lane.State.SETTLING;
            lane.batchLeft--;
            return Next.SAME_LANE;
        }
        if (!delays.isDue(next)) {
            lane.worker = null;
            lane.batch = null;
            active--;
            delay(lane);
            signalIfIdle();
            return Next.OTHER_WORK;
        }
        if (gate.isPaused() || (++lane.inARow >= Work.TURN && queue.isContended())) {
            lane.state = Lane.State.READY;
            lane.worker = null;
            active--;
            if (!gate.isPaused()) {
                queue.ready(lane);
            }
            return Next.OTHER_WORK;
        }
        // A lane of a batch waits for the next batch once this one is settled; until then no interrupt may hit its
        // worker.
        lane.state = lane.batch == null ? Lane.State.RUNNING : Lane.State.SETTLING;
        return Next.SAME_LANE;
    }

    private Next discardLate() {
        counts.late.increment();
        active--;
        signalIfIdle();
        return Next.OTHER_WORK;
    }

    /** A worker begins with a lane from the ready queue. False when its track has closed, or is paused. */
    boolean claim(Lane lane, Thread by) {
        try (var _ = guard.enter()) {
            if (lane.state != Lane.State.READY || gate.isDropped()) {
                return false;
            }
            if (lane.result == null) {
                if (gate.isClosed() || gate.isPaused()) {
                    return false;
                }
                active++;
            }
            lane.state = Lane.State.RUNNING;
            lane.ticket++;
            // After a result that was taken before all else, the lane's next record takes its turn.
            lane.inARow = lane.result == null ? 0 : Work.TURN;
            lane.worker = by;
            return true;
        }
    }

    /** The lane's attempt is to be made again later. False when that will not be by this assignment. */
    public boolean awaitRetry(Lane lane) {
        try (var _ = guard.enter()) {
            lane.clearFlags();
            lane.worker = null;
            if (gate.isDropped()) {
                discardLate();
                return false;
            }
            lane.state = Lane.State.WAITING;
            lane.batchLeft = 0;
            lane.attempt++;
            lane.observed = null;
            lane.ticket++;
            lane.stage = null;
            active--;
            signalIfIdle();
            return !gate.isClosed();
        }
    }

    /** A batch's records behind the lane's first are its next ones again; true when the call was over the limit. */
    public boolean handBack(Lane lane, List<ConsumerRecord<byte[], byte[]>> handled) {
        try (var _ = guard.enter()) {
            lane.state = Lane.State.SETTLING;
            lane.record = handled.getFirst();
            for (int i = handled.size() - 1; i > 0; i--) {
                lane.precede(handled.get(i));
            }
            lane.batchLeft = handled.size() - 1;
            return lane.clearFlags();
        }
    }

    /** The lane has a record that the settled batch did not have: it waits for a batch of its own. */
    public void requeue(Lane lane) {
        try (var _ = guard.enter()) {
            lane.state = Lane.State.READY;
            lane.worker = null;
            active--;
            queue.ready(lane);
            signalIfIdle();
        }
    }

    /** The delay of a waiting lane is over. */
    public void wake(Lane lane) {
        try (var _ = guard.enter()) {
            if (lane.state != Lane.State.WAITING || gate.isClosed()) {
                return;
            }
            lane.waitsNoMore();
            if (lane.head != null) {
                lane.head.isDue();
                return;
            }
            lane.state = Lane.State.READY;
            if (!gate.isPaused()) {
                queue.ready(lane);
            }
        }
    }

    /** Whether the attempt was over its limit; clears the interrupt. */
    public boolean clearInterrupt(Lane lane) {
        try (var _ = guard.enter()) {
            return lane.clearFlags();
        }
    }

    /** The lane's record will never be done by this member: the consumer stops. */
    public void strand(Lane lane) {
        try (var _ = guard.enter()) {
            lane.clearFlags();
            lane.state = Lane.State.ENDED;
            lane.worker = null;
            active--;
            signalIfIdle();
        }
    }

    /** The lane's handler has returned a stage, whose answer carries the returned ticket; -1 if it is too late. */
    public int awaitStage(Lane lane, AttemptResult.Pending pending) {
        try (var _ = guard.enter()) {
            lane.clearFlags();
            lane.worker = null;
            if (gate.isDropped()) {
                discardLate();
                return -1;
            }
            lane.state = Lane.State.PENDING;
            lane.stage = pending.stage();
            return lane.ticket;
        }
    }

    /** A stage has completed. False when nobody waits for it any more. */
    public boolean completeStage(Lane lane, int ticket, AttemptResult result) {
        try (var _ = guard.enter()) {
            if (lane.ticket != ticket || lane.state != Lane.State.PENDING) {
                counts.late.increment();
                return false;
            }
            lane.stage = null;
            lane.state = Lane.State.READY;
            if (gate.isDropped()) {
                discardLate();
            } else {
                lane.result = result;
            }
            return true;
        }
    }
}
