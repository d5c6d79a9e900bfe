package dev.laneway.stream;

import dev.laneway.stream.runtime.StreamTimer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * {@link Source#groupedWithin}: emits a group when it is full, when its time has passed, or when the stream completes.
 * Without demand a group whose time has passed goes on to fill, up to its size. At most {@code size} elements are
 * requested or held.
 */
final class GroupingStage<T> extends Operator<T, List<T>> {
    private final int size;
    private final long nanos;
    private final StreamTimer alarm;
    private final Queue<T> arrived = new ConcurrentLinkedQueue<>();
    /** The number of the latest group whose time has passed. */
    private volatile long ripe;

    // Only the drain touches these.
    private List<T> group = new ArrayList<>();
    private long number = 1;
    private @Nullable Runnable forget;

    GroupingStage(int size, long nanos, StreamTimer alarm) {
        this.size = size;
        this.nanos = nanos;
        this.alarm = alarm;
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        if (!isOver()) {
            arrived.add(element);
            signal();
        }
    }

    @Override
    void start() {
        pull(size);
    }

    @Override
    void step() {
        boolean last = isCompleted();
        long freed = 0;
        fill();
        while (isDue(last) && hasDemand()) {
            List<T> full = group;
            startOver();
            emit(Collections.unmodifiableList(full));
            freed += full.size();
            fill();
        }
        if (last && group.isEmpty() && !isOver()) {
            complete();
        } else {
            pull(freed);
        }
    }

    private void fill() {
        while (group.size() < size) {
            T element = arrived.poll();
            if (element == null) {
                return;
            }
            group.add(element);
            if (group.size() == 1) {
                long mine = number;
                forget = alarm.in(nanos, () -> {
                    ripe = mine;
                    signal();
                });
            }
        }
    }

    private boolean isDue(boolean last) {
        return group.size() == size || (!group.isEmpty() && (last || ripe == number));
    }

    private void startOver() {
        group = new ArrayList<>();
        number++;
        if (forget != null) {
            forget.run();
            forget = null;
        }
    }

    @Override
    void release() {
        startOver();
        arrived.clear();
    }
}
