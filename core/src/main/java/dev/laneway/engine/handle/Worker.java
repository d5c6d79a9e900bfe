package dev.laneway.engine.handle;

import dev.laneway.engine.runtime.ObserverCalls;
import dev.laneway.engine.runtime.UtilisationMeter;
import dev.laneway.engine.track.AttemptResult;
import dev.laneway.engine.track.Batch;
import dev.laneway.engine.track.CursorRun;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.HandlerCancellation;
import dev.laneway.engine.track.Inbox;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.OutgoingRecords;
import dev.laneway.engine.track.Track;
import dev.laneway.engine.track.Work;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Runs handlers, on a thread of its own, until it finds no more work. Confined to its thread. */
public final class Worker implements Runnable {
    /**
     * Bound while a worker runs, so that a handler which closes its own consumer does not wait for itself. A worker is
     * a young thread: a map of thread-locals would be a tenth of what it takes.
     */
    private static final ScopedValue<Scheduler> CURRENT = ScopedValue.newInstance();

    /**
     * How often a worker looks for work before another one takes its place. Where handlers wait, there are thousands:
     * collections copy a thread that lives for long with its stack, and those that die young they do not even see.
     */
    private static final int TURNS = 8;

    private final ScopedValue.Carrier bound;
    private final Scheduler scheduler;
    private final Scheduler.Search search;
    private final Attempt attempt;
    /** Null where nobody listens. */
    private final @Nullable ObservedAttempts observed;

    private final @Nullable BatchAttempt<?, ?> batches;
    private final AttemptSettlement settlement;
    private final UtilisationMeter meter;
    private final Inbox inbox;
    /** What runs it. */
    private Thread own;

    /** @param bound what {@link #bound} makes of the scheduler */
    @SuppressWarnings("NullAway.Init") // It has a thread when it begins to work.
    public Worker(
            ScopedValue.Carrier bound,
            Scheduler scheduler,
            Scheduler.Search search,
            Attempt attempt,
            @Nullable BatchAttempt<?, ?> batches,
            AttemptSettlement settlement,
            UtilisationMeter meter,
            Inbox inbox,
            @Nullable ObserverCalls observers) {
        this.bound = bound;
        this.scheduler = scheduler;
        this.search = search;
        this.attempt = attempt;
        this.observed = observers == null ? null : new ObservedAttempts(observers, attempt);
        this.batches = batches;
        this.settlement = settlement;
        this.meter = meter;
        this.inbox = inbox;
    }

    /** For all workers of a scheduler. */
    public static ScopedValue.Carrier bound(Scheduler scheduler) {
        return ScopedValue.where(CURRENT, scheduler);
    }

    @Override
    public void run() {
        bound.run(this::work);
    }

    private void work() {
        own = Thread.currentThread();
        scheduler.started();
        boolean permit = true;
        Thread.interrupted(); // Executors may hand on a thread with a flag that was meant for another task.
        try {
            for (int turns = 0; permit && turns < TURNS; turns++) {
                Work work = search.claim(own);
                if (work == null) {
                    break;
                }
                permit = run(work);
            }
        } catch (Throwable bug) {
            // Handlers cannot get here: this is a broken invariant of the engine, and going on could lose records.
            inbox.add(new Event.Failed(bug));
        } finally {
            meter.ended();
            if (permit) {
                scheduler.release();
            }
        }
    }

    /** Whether the calling thread runs a worker of this scheduler. */
    public static boolean isCurrent(Scheduler scheduler) {
        return CURRENT.isBound() && scheduler.equals(CURRENT.get());
    }

    /** False when the worker's permit has stayed with an asynchronous handler and there is no other. */
    private boolean run(Work work) {
        return switch (work) {
            case CursorRun run -> run(run);
            case Batch batch -> run(batch);
            case Lane lane -> batches == null ? run(lane) : run(lane.track.batchFrom(lane, own));
            case OutgoingRecords delivery -> {
                settlement.send(delivery);
                yield true;
            }
            case HandlerCancellation cancellation -> {
                cancellation.run();
                clearInterrupt(); // User code ran, as in an attempt.
                yield true;
            }
        };
    }

    private boolean run(CursorRun run) {
        ConsumerRecord<byte[], byte[]> record = run.record();
        for (int turns = 1; ; turns++) {
            AttemptResult result = attempt(record, 1, null, turns > 1);
            OutgoingRecords emitted = null;
            if (result != AttemptResult.Done.DONE) {
                emitted = settlement.transacted(run.track, record, result);
                if (emitted == null) {
                    Lane detached = run.track.detach(run);
                    scheduler.workArrived(); // The cursor is free, and what follows may wait.
                    return settle(detached, result);
                }
            }
            if (emitted == null && turns % Work.TURN != 0) {
                ConsumerRecord<byte[], byte[]> next = run.glide(record);
                if (next != null) {
                    record = next;
                    continue;
                }
            }
            boolean leave = turns % Work.TURN == 0 && scheduler.isContended();
            if (!finished(run, leave, emitted)) {
                Lane taken = run.lane;
                return taken == null || settle(taken, result);
            }
            record = run.record();
        }
    }

    /** As {@link Track#finish}; the record and what it emits are done at once. */
    private static boolean finished(CursorRun run, boolean leave, @Nullable OutgoingRecords emitted) {
        Track track = run.track;
        if (emitted == null) {
            return track.finish(run, leave);
        }
        try (var _ = track.guard.enter()) {
            if (run.lane == null) {
                track.outputs.add(emitted);
            }
            return track.finish(run, leave);
        }
    }

    private boolean run(Batch batch) {
        if (batches == null) {
            throw new IllegalStateException("a worker without a batch handler was sent to run a batch");
        }
        List<AttemptResult> results = observed == null
                ? batches.run(batch.records(), batch::isInterrupted, false)
                : observed.run(batches, batch);
        clearInterrupt();
        settlement.settle(batch, results);
        return true;
    }

    private boolean run(Lane lane) {
        AttemptResult known = lane.result;
        if (known != null) {
            lane.result = null;
            return settle(lane, known);
        }
        return settle(lane, attempt(lane.record, lane.attempt, lane.lastFailure, false));
    }

    /**
     * Calls the handler. A flag that it leaves set says nothing to what this thread does next, so it is cleared at its
     * end. Not at the beginning: the engine may have interrupted this very attempt by then. An interrupt of the engine
     * that comes after the end is taken back under the track's guard, before the lane goes on.
     *
     * @param follows whether this worker comes straight from the record before it in the partition
     */
    private AttemptResult attempt(
            ConsumerRecord<byte[], byte[]> record, int number, @Nullable Throwable last, boolean follows) {
        AttemptResult result =
                observed == null ? attempt.run(record, number, last) : observed.run(record, number, last, follows);
        clearInterrupt();
        return result;
    }

    /** Asks its thread first, for each record: to clear the flag is to look up which thread this is. */
    private void clearInterrupt() {
        if (own.isInterrupted()) {
            Thread.interrupted();
        }
    }

    /** Acts on the end of an attempt, and goes on with the lane as long as it has records. */
    private boolean settle(Lane running, AttemptResult first) {
        AttemptResult result = first;
        while (true) {
            AttemptSettlement.After after = settlement.settle(running, result);
            switch (after) {
                case SAME_LANE -> result = attempt(running.record, running.attempt, running.lastFailure, false);
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
