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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@link Source#mapByKey}: lanes as a stage of a stream. Elements of one key wait in the key's lane, of which at most
 * one worker takes care at a time; a lane that is empty is gone. At most {@code reserve} elements are asked for,
 * waiting, under way or held as results.
 *
 * <p>Workers are started one after another, each by the one before it that found more to do: so a function that does
 * not wait is served by about as many as there are processors, and one that waits by {@code parallelism}.
 *
 * <p>The monitor of the lanes guards lanes, ready lanes and workers. Of the user's code only {@code equals} and
 * {@code hashCode} of keys run under it.
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
    /** Written by those above; the drain reads it when nothing more comes. */
    private long arrived;
    /** Only the drain touches it. */
    private long passedOn;

    /**
     * Makes a stage.
     *
     * @param threads gives each worker a thread of its own
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

    /** What waits of one key, in order. Guarded by the monitor of the lanes. */
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
        arrived++;
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

    /** Whether the caller has to start a worker. Under the monitor. */
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
        /** The first one of the lane. */
        private @Nullable T element;

        @Override
        public void run() {
            Lane<T, K> lane = begin();
            while (lane != null) {
                try {
                    R result = Objects.requireNonNull(
                            function.apply(Objects.requireNonNull(element)),
                            "mapByKey's function returned null; streams have no null");
                    // Before the lane is free: the results of a key are in order.
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

        /** A lane to go on with; null when there is nothing to do, and the worker is no longer counted. */
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

        /** From here on the thread is not interrupted, whoever ends the stream: what follows is not the function. */
        private void rest() {
            synchronized (lanes) {
                atWork.remove(this);
                if (closed) {
                    var _ = Thread.interrupted();
                }
            }
        }

        /** Ends the lane's element, and takes the lane that has waited longest. */
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
        passedOn += freed;
        if (last && passedOn == arrived && !isOver()) {
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
