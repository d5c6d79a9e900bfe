package dev.laneway.engine.handle;

import dev.laneway.Ordering;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.UtilisationMeter;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.ReadyQueue;
import dev.laneway.engine.track.ReadyWork;
import dev.laneway.engine.track.Track;
import dev.laneway.engine.track.Work;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which work does a free worker take, and when is another worker started? Thread-safe.
 *
 * <p>A worker takes what an asynchronous handler has ended, which is settled quickly and would else be held for as long
 * as there are new records; then, in turns: a lane that is ready, a track whose cursor is free; else the cursor of a
 * runner whose handler waits. At most one worker is starting at any time, and each worker that finds work starts the
 * next one before it runs a handler. So handlers that wait bring up thousands of workers within milliseconds, while
 * handlers that do not are served by as many workers as there are processors.
 *
 * <p>A runner that is busy for long without waiting (it computes, or it waits in a way that the host cannot see) is
 * found by watching: a worker without work looks at one runner for {@link #WATCH_NANOS} and takes the cursor if it has
 * not moved. A cursor that has moved makes the scheduler calm: more workers would not help, so none is started beside a
 * runner until the owner's own look, in {@link #checkRunners}, sees one stand still.
 */
public final class Scheduler implements ReadyQueue {
    /** How long a runner's record may run before a free worker takes the cursor; ten times what that costs. */
    private static final long WATCH_NANOS = 10_000;

    private static final Logger log = LoggerFactory.getLogger(Scheduler.class);

    private final Host host;
    private final Ordering ordering;
    private final int concurrency;
    private final EventCounts counts;
    private final UtilisationMeter meter;
    private final Function<Search, Runnable> workers;
    private final AtomicInteger permits = new AtomicInteger();
    private final AtomicBoolean starting = new AtomicBoolean();
    private final AtomicBoolean watching = new AtomicBoolean();
    private final Queue<ReadyWork> ready = new ConcurrentLinkedQueue<>();
    /** Lanes whose asynchronous handler has ended. */
    private final Queue<ReadyWork> ended = new ConcurrentLinkedQueue<>();

    private volatile Track[] tracks = {};
    /** What the worker that was started last looks for first. Guarded by {@link #starting}. */
    private boolean lastCursorFirst;
    /** And where it looks first. Guarded by {@link #starting}. */
    private int lastPosition;

    private volatile boolean calm;
    private volatile @Nullable Throwable rejection;

    public Scheduler(
            Host host,
            Ordering ordering,
            int concurrency,
            EventCounts counts,
            UtilisationMeter meter,
            Function<Scheduler, Function<Search, Runnable>> workers) {
        this.host = host;
        this.ordering = ordering;
        this.concurrency = concurrency;
        this.counts = counts;
        this.meter = meter;
        this.workers = workers.apply(this);
    }

    // ---------------------------------------------------------------- for the owner

    /** The tracks that workers serve from now on. */
    public void serve(List<Track> assigned) {
        tracks = assigned.toArray(Track[]::new);
        startWorker();
    }

    /** Records were appended, or may start again. */
    @Override
    public void workArrived() {
        startWorker();
    }

    /**
     * The owner's look at the runners, at most every 50 microseconds: one that stands still gets a rival. True when
     * another look will be needed although nothing else may happen.
     */
    public boolean checkRunners() {
        boolean again = false;
        if (ordering != Ordering.PARTITION && permits.get() < concurrency) {
            for (Track track : tracks) {
                if (track.isStealable()) {
                    again = true;
                    if (track.stoodStill()) {
                        calm = false;
                        startWorker();
                    }
                }
            }
        }
        if (rejection != null) {
            if (hasWork()) {
                again = true;
                startWorker();
            } else {
                rejection = null;
            }
        }
        return again;
    }

    /** Workers and asynchronous handlers in flight. */
    public int running() {
        return permits.get();
    }

    /** Whether workers are free and find nothing to do: what is held is being handled, or waits for what is. */
    public boolean hasIdleWorkers() {
        if (permits.get() >= concurrency || rejection != null || isReady()) {
            return false;
        }
        for (Track track : tracks) {
            if (track.isClaimable() || track.isStealable()) {
                return false;
            }
        }
        return true;
    }

    /** Why the executor took no worker the last time; null when it took it. */
    public @Nullable Throwable rejection() {
        return rejection;
    }

    // ---------------------------------------------------------------- for workers

    @Override
    public void ready(ReadyWork work) {
        boolean isEnded = work instanceof Lane lane && lane.result != null;
        (isEnded ? ended : ready).add(work);
        startWorker();
    }

    private boolean isReady() {
        return !ended.isEmpty() || !ready.isEmpty();
    }

    @Override
    public boolean isContended() {
        if (permits.get() < concurrency) {
            return false;
        }
        if (isReady()) {
            return true;
        }
        for (Track track : tracks) {
            if (track.isClaimable()) {
                return true;
            }
        }
        return false;
    }

    /** How one worker looks for work. Confined to its worker. */
    public final class Search {
        /** Where in the tracks it found its last work. */
        private int position;
        /** Whether it looked for a free cursor before a ready lane the last time. */
        private boolean cursorFirst;

        private Search(int position, boolean cursorFirst) {
            this.position = position;
            this.cursorFirst = cursorFirst;
        }

        /** Claims work for the worker on this thread and starts the next worker; null when there is none. */
        @Nullable
        Work claim(Thread by) {
            Work work = find(by);
            if (work != null) {
                startWorker();
            }
            return work;
        }

        private @Nullable Work find(Thread by) {
            Work work = claimFirst(ended, by);
            if (work != null) {
                return work;
            }
            // In turns: hot keys as many as workers are always ready, and would keep all others behind the cursor.
            cursorFirst = !cursorFirst;
            work = cursorFirst ? claimTrack(by) : claimFirst(ready, by);
            if (work == null) {
                work = cursorFirst ? claimFirst(ready, by) : claimTrack(by);
            }
            return work == null && ordering != Ordering.PARTITION ? watch(by) : work;
        }

        /**
         * A cursor that is free, or whose runner waits. Each worker goes round, so that no track waits for long. Where
         * another thread has the guard of a free cursor's track, that track comes last.
         */
        private @Nullable Work claimTrack(Thread by) {
            Track[] all = tracks;
            for (int i = 0; i < all.length; i++) {
                position = position + 1 < all.length ? position + 1 : 0;
                Work work = claimUncontended(all[position], by);
                if (work != null) {
                    return work;
                }
            }
            for (int i = 0; i < all.length; i++) {
                Track track = all[(position + i) % all.length];
                Work work = track.isClaimable() ? track.claim(by) : null;
                if (work != null) {
                    return work;
                }
            }
            return null;
        }

        private @Nullable Work claimUncontended(Track track, Thread by) {
            Work work = track.isClaimable() ? track.claimUncontended(by) : null;
            if (work == null && ordering != Ordering.PARTITION && track.isStealable() && isRunnerWaiting(track)) {
                work = track.steal(by);
                if (work != null) {
                    calm = false;
                }
            }
            return work;
        }

        private @Nullable Work watch(Thread by) {
            if (!watching.compareAndSet(false, true)) {
                return null;
            }
            try {
                for (Track track : tracks) {
                    if (track.isStealable()) {
                        return watch(track, by);
                    }
                }
                return null;
            } finally {
                watching.set(false);
            }
        }

        private @Nullable Work watch(Track track, Thread by) {
            long seen = track.look();
            long since = host.nanoTime();
            do {
                host.relax();
                if (track.look() != seen) {
                    calm = true;
                    return claimTrack(by);
                }
            } while (!isRunnerWaiting(track) && host.nanoTime() - since < WATCH_NANOS);
            calm = false;
            return track.steal(by);
        }
    }

    private static @Nullable Work claimFirst(Queue<ReadyWork> waiting, Thread by) {
        for (ReadyWork work = waiting.poll(); work != null; work = waiting.poll()) {
            if (work.claim(by)) {
                return work;
            }
        }
        return null;
    }

    private boolean isRunnerWaiting(Track track) {
        Thread runner = track.runnerThread();
        return runner != null && host.isWaiting(runner);
    }

    /** Takes a further permit for a worker whose own stays with an asynchronous handler. */
    public boolean acquire() {
        for (int held = permits.get(); held < concurrency; held = permits.get()) {
            if (permits.compareAndSet(held, held + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Gives a permit back, and uses it if there is work. */
    public void release() {
        permits.decrementAndGet();
        startWorker();
    }

    @Override
    public void releasePending() {
        meter.ended();
        release();
    }

    /** A worker has begun: the next one may start. */
    void started() {
        starting.set(false);
    }

    private void startWorker() {
        while (!starting.get() && permits.get() < concurrency && hasWork() && starting.compareAndSet(false, true)) {
            if (acquire()) {
                start();
                return;
            }
            starting.set(false); // And look again: a permit may have come back in between.
        }
    }

    private void start() {
        counts.workersStarted.increment();
        meter.began();
        try {
            // Workers take turns too: one that ends soon would never look beyond the first.
            lastCursorFirst = !lastCursorFirst;
            lastPosition = lastPosition + 1 < tracks.length ? lastPosition + 1 : 0;
            host.execute(workers.apply(new Search(lastPosition, lastCursorFirst)));
            rejection = null;
        } catch (Throwable refused) {
            // Also an Error: no native thread left. The owner tries again, see look().
            if (rejection == null) {
                log.warn("no further worker can be started; {} run", permits.get() - 1, refused);
            }
            rejection = refused;
            meter.ended();
            permits.decrementAndGet();
            starting.set(false);
        }
    }

    private boolean hasWork() {
        if (isReady()) {
            return true;
        }
        boolean stealing = ordering != Ordering.PARTITION && !calm;
        for (Track track : tracks) {
            if (track.isClaimable() || (stealing && track.isStealable())) {
                return true;
            }
        }
        return false;
    }
}
