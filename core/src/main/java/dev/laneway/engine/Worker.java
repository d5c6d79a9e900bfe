package dev.laneway.engine;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Runs handlers, on a thread of its own, until it finds no more work. Confined to its thread, but for {@link #lane},
 * which a thief sets under the guard of the track that it takes the cursor from, and {@link #interrupt}.
 */
final class Worker implements Runnable {
    /** Set on threads that run a worker, so that a handler which closes its own consumer does not wait for itself. */
    private static final ThreadLocal<Scheduler> CURRENT = new ThreadLocal<>();

    /**
     * How often a worker looks for work before another one takes its place. Where handlers wait, there are thousands:
     * collections copy a thread that lives for long with its stack, and those that die young they do not even see.
     */
    private static final int TURNS = 8;

    private final Scheduler scheduler;
    private final Attempt attempt;
    private final @Nullable BatchAttempt<?, ?> batches;
    private final AttemptSettlement settlement;
    private final UtilisationMeter meter;
    private final Inbox inbox;

    /** Where in the scheduler's tracks this worker found its last work. */
    int position;
    /** Whether it looked for a free cursor before a ready lane the last time. */
    boolean cursorFirst;
    /**
     * The lane that the worker runs, or that its record was made when the cursor was taken from it. Guarded by the
     * track's guard.
     */
    @Nullable
    Lane lane;

    private volatile @Nullable Thread thread;

    // As the runner of a track:
    private @Nullable Track track;
    private List<ConsumerRecord<byte[], byte[]>> records = List.of();
    private int index;

    /** Work taken from the ready queue. */
    private @Nullable ReadyWork job;

    private @Nullable Batch batch;

    Worker(
            Scheduler scheduler,
            Attempt attempt,
            @Nullable BatchAttempt<?, ?> batches,
            AttemptSettlement settlement,
            UtilisationMeter meter,
            Inbox inbox) {
        this.scheduler = scheduler;
        this.attempt = attempt;
        this.batches = batches;
        this.settlement = settlement;
        this.meter = meter;
        this.inbox = inbox;
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        CURRENT.set(scheduler);
        scheduler.started();
        boolean permit = true;
        Thread.interrupted(); // Executors may hand on a thread with a flag that was meant for another task.
        try {
            for (int turns = 0; permit && turns < TURNS && scheduler.next(this); turns++) {
                permit = work();
            }
        } catch (Throwable bug) {
            // Handlers cannot get here: this is a broken invariant of the engine, and going on could lose records.
            inbox.add(new Event.Failed(bug));
        } finally {
            CURRENT.remove();
            meter.ended();
            if (permit) {
                scheduler.release();
            }
        }
    }

    /** Whether the calling thread runs a worker of this scheduler. */
    static boolean isCurrent(Scheduler scheduler) {
        return scheduler.equals(CURRENT.get());
    }

    /** The track makes this worker its runner, from this record on. */
    void run(Track of, Chunk chunk, int at) {
        track = of;
        records = chunk.records;
        index = at;
        lane = null;
    }

    /** The track has made the record that this worker was to run a lane: it has left the cursor already. */
    void runApart(Lane own) {
        job = own;
    }

    /** A track gives this worker a batch; false when it is empty. */
    boolean run(Batch filled) {
        if (filled.size() == 0) {
            return false;
        }
        batch = filled;
        return true;
    }

    /** Takes a job from the ready queue; false when it is void. */
    boolean take(ReadyWork ready) {
        if (ready instanceof Lane readyLane && !readyLane.track.lanes.take(readyLane, this)) {
            return false;
        }
        job = ready;
        return true;
    }

    /** As a runner: the position of its record in the chunk. */
    int index() {
        return index;
    }

    /** The thread that runs this worker; null before it has begun. */
    @Nullable
    Thread thread() {
        return thread;
    }

    /** Interrupts the handler. Only under the track's guard, which the worker needs to get on to another record. */
    void interrupt() {
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    /** False when the worker's permit has stayed with an asynchronous handler and there is no other. */
    private boolean work() {
        ReadyWork taken = job;
        job = null;
        Batch filled = batch;
        batch = null;
        return switch (taken) {
            case null -> filled == null ? runTrack() : runBatch(filled);
            case Lane ready -> batches == null ? runLane(ready) : runBatch(ready.track.batchFrom(ready, this));
            case OutgoingRecords delivery -> {
                settlement.send(delivery);
                yield true;
            }
            case HandlerCancellation cancellation -> {
                cancellation.run();
                Thread.interrupted(); // User code ran, as in an attempt.
                yield true;
            }
        };
    }

    private boolean runTrack() {
        Track on = track;
        if (on == null) {
            throw new IllegalStateException("a worker without a track was sent to run one");
        }
        ConsumerRecord<byte[], byte[]> current = records.get(index);
        for (int turns = 1; ; turns++) {
            AttemptResult result = attempt(current, 1, null);
            OutgoingRecords emitted = null;
            if (result != AttemptResult.Done.DONE) {
                emitted = settlement.transacted(on, current, result);
            }
            if (result != AttemptResult.Done.DONE && emitted == null) {
                Lane detached = on.detach(this);
                scheduler.workArrived(); // The cursor is free, and what follows may wait.
                return settle(detached, result);
            }
            int next = index + 1;
            if (emitted == null && turns % Scheduler.TURN != 0 && next < records.size()) {
                ConsumerRecord<byte[], byte[]> following = records.get(next);
                if (on.glide(current.offset(), following.offset())) {
                    index = next;
                    current = following;
                    continue;
                }
            }
            boolean leave = turns % Scheduler.TURN == 0 && scheduler.isContended();
            if (!finished(on, leave, emitted)) {
                Lane taken = lane;
                return taken == null || settle(taken, result);
            }
            current = records.get(index);
        }
    }

    /** As {@link Track#finished}; the record and what it emits are done at once. */
    private boolean finished(Track on, boolean leave, @Nullable OutgoingRecords emitted) {
        if (emitted == null) {
            return on.finished(this, leave);
        }
        try (var _ = on.guard.enter()) {
            if (lane == null) {
                on.outputs.add(emitted);
            }
            return on.finished(this, leave);
        }
    }

    private boolean runBatch(Batch filled) {
        if (batches == null) {
            throw new IllegalStateException("a worker without a batch handler was sent to run a batch");
        }
        List<AttemptResult> results = batches.run(filled.records(), filled::isInterrupted);
        Thread.interrupted();
        settlement.settle(filled, results);
        return true;
    }

    private boolean runLane(Lane running) {
        AttemptResult known = running.result;
        if (known != null) {
            running.result = null;
            return settle(running, known);
        }
        return settle(running, attempt(running.record, running.attempt, running.lastFailure));
    }

    /**
     * Calls the handler. A flag that it leaves set says nothing to what this thread does next, so it is cleared at its
     * end. Not at the beginning: the engine may have interrupted this very attempt by then. An interrupt of the engine
     * that comes after the end is taken back under the track's guard, before the lane goes on.
     */
    private AttemptResult attempt(ConsumerRecord<byte[], byte[]> record, int number, @Nullable Throwable last) {
        AttemptResult result = attempt.run(record, number, last);
        Thread.interrupted();
        return result;
    }

    /** Acts on the end of an attempt, and goes on with the lane as long as it has records. */
    private boolean settle(Lane running, AttemptResult first) {
        AttemptResult result = first;
        while (true) {
            AttemptSettlement.After after = settlement.settle(running, result);
            switch (after) {
                case SAME_LANE -> result = attempt(running.record, running.attempt, running.lastFailure);
                case OTHER_WORK -> {
                    return true;
                }
                case PERMIT_LEFT -> {
                    return scheduler.acquire();
                }
            }
        }
    }
}
