package dev.laneway.stream;

import dev.laneway.stream.runtime.CompletionStages;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@link Source#mapAsync}: results in the order of the elements. Each element has a slot in a queue from its call to
 * its emission; there are at most {@code parallelism} slots, requested elements included. A failure is emitted in its
 * place, after the results before it.
 */
final class AsyncMapping<T, R> extends Operator<T, R> {
    private final int parallelism;
    private final Function<? super T, ? extends CompletionStage<R>> mapper;
    private final Queue<Slot> slots = new ConcurrentLinkedQueue<>();

    AsyncMapping(int parallelism, Function<? super T, ? extends CompletionStage<R>> mapper) {
        this.parallelism = parallelism;
        this.mapper = mapper;
    }

    /** One element whose call has not been emitted. Written by the thread that completes it, then read by the drain. */
    private final class Slot implements BiConsumer<@Nullable R, @Nullable Throwable> {
        private @Nullable R result;
        private @Nullable Throwable failure;
        private volatile @Nullable CompletionStage<R> stage;
        private volatile boolean done;

        @Override
        public void accept(@Nullable R value, @Nullable Throwable thrown) {
            if (done) {
                return;
            }
            result = value;
            failure = thrown == null && value == null
                    ? CompletionStages.noResult("mapAsync")
                    : CompletionStages.unwrapped(thrown);
            done = true;
            signal();
        }
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        if (isOver()) {
            return;
        }
        Slot slot = new Slot();
        slots.add(slot);
        slot.stage = CompletionStages.call("mapAsync", mapper, element, slot);
        if (isOver()) {
            // The stream may have ended before there was a stage to cancel.
            CompletionStages.cancel(slot.stage);
        }
    }

    @Override
    String fullness() {
        if (slots.size() < parallelism) {
            return "";
        }
        Slot oldest = slots.peek();
        return "mapAsync holds " + parallelism + " elements, its parallelism: "
                + (oldest == null || oldest.done ? "their results wait for demand" : "the oldest call has not ended");
    }

    @Override
    void start() {
        pull(parallelism);
    }

    @Override
    void step() {
        boolean last = isCompleted();
        long freed = 0;
        Slot head = slots.peek();
        while (head != null && head.done && !isOver()) {
            Throwable cause = head.failure;
            R result = head.result;
            if (cause != null) {
                fail(cause);
                return;
            }
            if (result == null || !hasDemand()) {
                break;
            }
            slots.remove();
            emit(result);
            freed++;
            head = slots.peek();
        }
        if (last && slots.isEmpty() && !isOver()) {
            complete();
        } else {
            pull(freed);
        }
    }

    @Override
    void release() {
        for (Slot slot = slots.poll(); slot != null; slot = slots.poll()) {
            CompletionStages.cancel(slot.stage);
        }
    }
}
