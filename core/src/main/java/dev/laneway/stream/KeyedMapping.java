package dev.laneway.stream;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@link Source#mapByKey}: elements of one key wait in the key's lane, which at most one worker serves at a time; an
 * empty lane is removed. At most {@code reserve} elements are requested, waiting, running or held as results.
 *
 * <p>A worker that finds more to do starts the next one. So a function that does not block runs on about as many
 * workers as there are processors, and one that blocks on up to {@code parallelism}.
 *
 * <p>The monitor of the lanes guards lanes, ready lanes and workers. The only user code that runs under it is
 * {@code equals} and {@code hashCode} of keys.
 */
final class KeyedMapping<T, K extends @Nullable Object, R> extends Operator<T, R> {
    private final int parallelism;
    private final int reserve;
    private final Function<? super T, ? extends K> keyOf;
    private final BlockingFunction<? super T, ? extends R> function;
    private final Executor threads;

    private final Map<K, Lane<T, K>> lanes = new HashMap<>();
    private final ArrayDeque<Lane<T, K>> ready = new ArrayDeque<>();
    private final Set<Worker> atWork = new LinkedHashSet<>();
    private int workers;
    private boolean starting;
    private boolean closed;

    private final Queue<R> results = new ConcurrentLinkedQueue<>();
    /** Upstream counts; the drain reads it when upstream has completed. */
    private final AtomicLong arrived = new AtomicLong();
    /** The drain counts. */
    private final AtomicLong passedOn = new AtomicLong();

    /**
     * Makes a stage.
     *
     * @param threads runs each worker on its own thread
     */
    KeyedMapping(
            int parallelism,
            int reserve,
            Function<? super T, ? extends K> keyOf,
            BlockingFunction<? super T, ? extends R> function,
            Executor threads) {
        this.parallelism = parallelism;
        this.reserve = reserve;
        this.keyOf = keyOf;
        this.function = function;
        this.threads = threads;
    }

    /** The waiting elements of one key, in order. Guarded by the monitor of the lanes. */
    private static final class Lane<T, K extends @Nullable Object> {
        final K key;
        final ArrayDeque<T> waiting = new ArrayDeque<>(1);

        Lane(K key) {
            this.key = key;
        }
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        if (isOver()) {
            return;
        }
        arrived.setRelease(arrived.getPlain() + 1);
        boolean starts;
        try {
            K key = keyOf.apply(element);
            synchronized (lanes) {
                if (closed) {
                    return;
                }
                Lane<T, K> lane = lanes.get(key);
                if (lane == null) {
                    lane = new Lane<>(key);
                    lanes.put(key, lane);
                    ready.add(lane);
                }
                lane.waiting.add(element);
                starts = claimsWorker();
            }
        } catch (Throwable thrown) {
            abort(thrown);
            return;
        }
        if (starts) {
            threads.execute(new Worker());
        }
    }

    /** Whether the caller has to start a worker, which is counted here. Under the monitor. */
    private boolean claimsWorker() {
        if (ready.isEmpty() || starting || workers == parallelism) {
            return false;
        }
        starting = true;
        workers++;
        return true;
    }

    private final class Worker implements Runnable {
        /** Guarded by the monitor of the lanes. */
        private @Nullable Thread thread;
        /** The first element of the lane. */
        private @Nullable T element;

        @Override
        public void run() {
            Lane<T, K> lane = begin();
            while (lane != null) {
                try {
                    R result = Objects.requireNonNull(
                            function.apply(Objects.requireNonNull(element)),
                            "mapByKey's function returned null; streams have no null");
                    // Before the lane is free, so that the results of a key are in order.
                    results.add(result);
                } catch (Throwable thrown) {
                    rest();
                    abort(thrown);
                    return;
                }
                rest();
                signal();
                try {
                    lane = next(lane);
                } catch (Throwable thrown) { // The key's own code.
                    abort(thrown);
                    return;
                }
            }
        }

        private @Nullable Lane<T, K> begin() {
            boolean starts;
            Lane<T, K> lane;
            synchronized (lanes) {
                starting = false;
                lane = take();
                starts = claimsWorker();
            }
            if (starts) {
                threads.execute(new Worker());
            }
            return lane;
        }

        /** The next lane to serve; null if there is none, and then the worker is no longer counted. */
        private @Nullable Lane<T, K> take() {
            Lane<T, K> lane = ready.poll();
            if (lane == null) {
                workers--;
            } else {
                thread = Thread.currentThread();
                element = lane.waiting.element();
                atWork.add(this);
            }
            return lane;
        }

        /** The function has returned: from here on the end of the stream does not interrupt the thread. */
        private void rest() {
            synchronized (lanes) {
                atWork.remove(this);
                if (closed) {
                    var _ = Thread.interrupted();
                }
            }
        }

        /** Removes the lane's element, and returns the lane that has waited longest. */
        private @Nullable Lane<T, K> next(Lane<T, K> lane) {
            synchronized (lanes) {
                if (!closed) {
                    lane.waiting.remove();
                    if (lane.waiting.isEmpty()) {
                        lanes.remove(lane.key);
                    } else {
                        ready.add(lane);
                    }
                }
                return take();
            }
        }
    }

    @Override
    String fullness() {
        long held = arrived.getAcquire() - passedOn.getAcquire();
        if (held < reserve) {
            return "";
        }
        return "mapByKey holds " + held + " elements, its reserve: "
                + (results.isEmpty()
                        ? "they wait for the calls that run, of their keys, of which there may be " + parallelism
                        : "results wait for demand");
    }

    @Override
    void start() {
        pull(reserve);
    }

    @Override
    void step() {
        boolean last = isCompleted();
        long freed = 0;
        while (hasDemand()) {
            R result = results.poll();
            if (result == null) {
                break;
            }
            emit(result);
            freed++;
        }
        passedOn.setRelease(passedOn.getPlain() + freed);
        if (last && passedOn.getPlain() == arrived.getAcquire() && !isOver()) {
            complete();
        } else {
            pull(freed);
        }
    }

    @Override
    void release() {
        synchronized (lanes) {
            closed = true;
            lanes.clear();
            ready.clear();
            for (Worker worker : atWork) {
                if (worker.thread != null) {
                    worker.thread.interrupt();
                }
            }
        }
        results.clear();
    }
}
