package dev.laneway.stream;

import dev.laneway.stream.runtime.CompletionStages;
import java.util.Comparator;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@link Source#mapAsyncUnordered}: results as they come. At most {@code parallelism} elements are requested, running
 * or held as results. A failure is emitted at once.
 */
final class UnorderedMapping<T, R> extends Operator<T, R> {
    private final int parallelism;
    private final Function<? super T, ? extends CompletionStage<R>> mapper;
    private final Set<Call> calls = ConcurrentHashMap.newKeySet();
    private final Queue<R> results = new ConcurrentLinkedQueue<>();
    /** Written by upstream; the drain reads it when upstream has completed. */
    private long arrived;
    /** Only the drain touches it. */
    private long passedOn;

    UnorderedMapping(int parallelism, Function<? super T, ? extends CompletionStage<R>> mapper) {
        this.parallelism = parallelism;
        this.mapper = mapper;
    }

    /** The call for one element. */
    private final class Call implements BiConsumer<@Nullable R, @Nullable Throwable> {
        private final AtomicBoolean answered = new AtomicBoolean();
        private volatile @Nullable CompletionStage<R> stage;
        private final long number;

        Call(long number) {
            this.number = number;
        }

        @Override
        public void accept(@Nullable R result, @Nullable Throwable thrown) {
            if (!answered.compareAndSet(false, true)) {
                return;
            }
            calls.remove(this);
            if (thrown != null) {
                abort(Objects.requireNonNull(CompletionStages.unwrapped(thrown)));
            } else if (result == null) {
                abort(CompletionStages.noResult("mapAsyncUnordered"));
            } else {
                results.add(result);
                signal();
            }
        }
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        if (isOver()) {
            return;
        }
        arrived++;
        Call call = new Call(arrived);
        calls.add(call);
        call.stage = CompletionStages.call("mapAsyncUnordered", mapper, element, call);
        if (isOver()) {
            // The stream may have ended before there was a stage to cancel.
            CompletionStages.cancel(call.stage);
        }
    }

    @Override
    String fullness() {
        int running = calls.size();
        return running < parallelism
                ? ""
                : "mapAsyncUnordered holds " + running + " elements, its parallelism: none of their calls has ended";
    }

    @Override
    void start() {
        pull(parallelism);
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
        // In the order of their elements, so that a simulated run repeats exactly.
        calls.stream()
                .sorted(Comparator.comparingLong(call -> call.number))
                .forEach(call -> CompletionStages.cancel(call.stage));
        calls.clear();
        results.clear();
    }
}
