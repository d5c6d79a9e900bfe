package dev.laneway.stream;

import dev.laneway.engine.handle.AckHandle;
import dev.laneway.stream.runtime.CompletionStages;
import dev.laneway.stream.runtime.StageRuntime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The stage behind {@link Committer}. An element is acknowledged when it arrives, so that it counts even if its
 * partition is given up before the batch is full: the batch only decides when a commit is requested.
 *
 * <p><b>Limits.</b> It requests enough elements for the batches that may wait for confirmation and one that fills. When
 * a batch has been emitted, it requests the next ones.
 *
 * <p><b>Threads.</b> Confirmations come on the consumer's thread, which must not block, so the drain runs on a virtual
 * thread.
 */
final class CommitterStage<T extends Acknowledgeable> extends Operator<T, OffsetBatch> {
    /** Offsets that are committed together. */
    private static final class Batch {
        final Set<AckHandle> assignments = new LinkedHashSet<>();
        /** Null if downstream does not need them. */
        final @Nullable List<Offset> offsets;

        private @Nullable AckHandle latest;
        int elements;
        int size;
        volatile boolean confirmed;

        Batch(boolean kept) {
            offsets = kept ? new ArrayList<>() : null;
        }

        void add(Acknowledgeable element) {
            elements++;
            switch (element) {
                case CommittableRecord<?, ?> record -> {
                    touches(record.delivered());
                    keep(record);
                }
                case Committable<?> committable -> add(committable.offset());
                case Offset offset -> add(offset);
                case OffsetBatch batch -> batch.offsets().forEach(this::add);
            }
        }

        private void keep(CommittableRecord<?, ?> record) {
            if (offsets != null) {
                offsets.add(record.offset());
            }
        }

        private void add(Offset offset) {
            touches(offset.delivered());
            if (offsets != null) {
                offsets.add(offset);
            }
        }

        private void touches(AckHandle delivered) {
            size++;
            if (!delivered.equals(latest)) {
                latest = delivered;
                assignments.add(delivered);
            }
        }

        OffsetBatch result() {
            return offsets == null ? OffsetBatch.empty() : OffsetBatch.of(offsets);
        }
    }

    private final CommitterSettings settings;
    private final boolean kept;
    private final StageRuntime machine;
    private final Object lock = new Object();
    private final Queue<Batch> full = new ConcurrentLinkedQueue<>();
    /** The batch that fills, and the action that cancels its timer. Guarded by the lock. */
    private @Nullable Batch open;

    private @Nullable Runnable forget;

    // Only the drain touches these.
    private final Deque<Batch> underWay = new ArrayDeque<>();
    private int unconfirmed;

    /** @param kept whether downstream needs the offsets */
    CommitterStage(CommitterSettings settings, boolean kept, StageRuntime machine) {
        this.settings = settings;
        this.kept = kept;
        this.machine = machine;
    }

    @Override
    void run(Runnable drain) {
        machine.threads().execute(drain);
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "element");
        if (isOver()) {
            return;
        }
        element.acknowledge();
        boolean isFull;
        synchronized (lock) {
            Batch batch = open;
            if (batch == null) {
                Batch fresh = new Batch(kept);
                batch = fresh;
                open = fresh;
                forget = machine.alarm().in(settings.maxInterval().toNanos(), () -> ripe(fresh));
            }
            batch.add(element);
            isFull = batch.size >= settings.maxBatch();
            if (isFull) {
                shut();
            }
        }
        if (isFull) {
            signal();
        }
    }

    private void ripe(Batch batch) {
        synchronized (lock) {
            if (open != batch) {
                return;
            }
            shut();
        }
        signalHere(); // On the timer's thread: busy virtual threads delay no commit.
    }

    /** Closes the open batch, so that it is committed. Under the lock. */
    private void shut() {
        Batch batch = open;
        open = null;
        if (forget != null) {
            forget.run();
            forget = null;
        }
        if (batch != null && batch.elements > 0) {
            full.add(batch);
        }
    }

    @Override
    void start() {
        pull((long) settings.maxBatch() * (settings.parallelism() + 1));
    }

    @Override
    void step() {
        boolean last = isCompleted();
        if (last) {
            synchronized (lock) {
                shut();
            }
        }
        ask();
        long freed = 0;
        for (Batch head = underWay.peek(); head != null && head.confirmed && hasDemand(); head = underWay.peek()) {
            underWay.remove();
            freed += head.elements;
            emit(head.result());
        }
        if (last && underWay.isEmpty() && full.isEmpty() && !isOver()) {
            complete();
        } else {
            pull(freed);
        }
    }

    /** Requests the commits of batches that are full. */
    private void ask() {
        unconfirmed = 0;
        underWay.forEach(batch -> unconfirmed += batch.confirmed ? 0 : 1);
        while (unconfirmed < settings.parallelism()) {
            Batch batch = full.poll();
            if (batch == null) {
                return;
            }
            unconfirmed++;
            underWay.add(batch);
            var _ = CompletableFuture.allOf(batch.assignments.stream()
                            .map(assignment -> assignment.commit().toCompletableFuture())
                            .toArray(CompletableFuture<?>[]::new))
                    .whenComplete((nothing, failure) -> answered(batch, failure));
        }
    }

    private void answered(Batch batch, @Nullable Throwable failure) {
        Throwable cause = CompletionStages.unwrapped(failure);
        if (cause == null) {
            batch.confirmed = true;
            signal();
        } else {
            abort(cause);
        }
    }

    @Override
    void release() {
        synchronized (lock) {
            shut();
        }
        full.clear();
        underWay.clear();
    }
}
