package dev.laneway.engine;

import dev.laneway.StreamException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One assignment of one partition of a stream: the reserve of records that nobody has asked for yet, and the window of
 * those that were delivered and are not acknowledged.
 *
 * <p>Whoever delivers {@link #take takes} a run of records at once, as many as the demand allows, and says afterwards
 * that they were {@link #delivered}. Everything below the cursor was taken; of that, what is in the window is undone. A
 * run that ends early, since the partition is closed or the stream is over, is {@link #giveBack given back}: the cursor
 * returns to where it ended.
 *
 * <p>Acknowledgements in the order of delivery make a {@link Streak}; whoever looks at the window lets it learn of them
 * first. A feed that is closed has no streak, since the last acknowledgement must wake the owner.
 *
 * <p>Thread-safe; at most one thread delivers.
 */
public final class Feed extends Held implements Delivered {
    private final Handling.Streaming.Kind kind;
    private final Scheduler scheduler;
    private final Counts counts;
    private final Supplier<CompletionStage<@Nullable Void>> commits;
    private final Outlet outlet;
    private final Streak streak = new Streak();
    private volatile Runnable listener = () -> {};
    private volatile boolean closed;

    // All below is guarded.
    private final Deque<Chunk> reserve = new ArrayDeque<>();
    /** Where the first chunk of the reserve goes on. */
    private int index;
    /** What was taken ends here. */
    private long cursor;
    /** What was fetched ends here. */
    private long next;
    /** The first offset of the run that is being delivered; -1 when there is none. */
    private long delivering = -1;

    private boolean paused;
    private boolean dropped;
    /** What the commit is to carry for records that are acknowledged and not covered yet. */
    private final TreeMap<Long, String> notes = new TreeMap<>();
    /** What the commit carries. */
    private String note = "";
    /** Up to where the window has learnt of the streak. */
    private long learned;

    Feed(
            TopicPartition partition,
            long epoch,
            long start,
            Decoded.@Nullable Map restored,
            Handling.Streaming streaming,
            Scheduler scheduler,
            Counts counts,
            Supplier<CompletionStage<@Nullable Void>> commits) {
        super(partition, epoch, new Ledger(partition, scheduler, counts), restored);
        this.kind = streaming.kind();
        this.outlet = streaming.outlet();
        this.scheduler = scheduler;
        this.counts = counts;
        this.commits = commits;
        this.cursor = start;
        this.next = start;
    }

    // ---------------------------------------------------------------- who delivers

    /** Calls back when records have come, and when the feed is closed; on any thread, and never for long. */
    public void listen(Runnable onNews) {
        listener = onNews;
    }

    /** Whether nothing more may be delivered. Any thread, at no cost. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * The next records, which count as delivered from now on. They must be said to be {@link #delivered} or be
     * {@link #giveBack given back} before the next ones are taken.
     *
     * @param most at least 1
     * @return null when there are none to deliver now
     */
    public @Nullable Run take(long most) {
        try (var _ = guard.enter()) {
            Chunk head = reserve.peek();
            if (head == null || closed || paused || delivering >= 0) {
                return null;
            }
            int from = index;
            int to = from + (int) Math.min(most, head.size - from);
            delivering = head.records.get(from).offset();
            learn(); // First: the window need not have room for what is done and for what comes.
            ledger.delivered(head, from, to, kind.isAcknowledged());
            if (to < head.size) {
                index = to;
                cursor = head.records.get(to).offset();
            } else {
                reserve.remove();
                index = 0;
                Chunk following = reserve.peek();
                cursor = following == null ? next : following.records.getFirst().offset();
            }
            follow();
            return new Run(head.records, from, to);
        }
    }

    /** All of the run has been delivered. */
    public void delivered() {
        boolean idle;
        try (var _ = guard.enter()) {
            delivering = -1;
            idle = closed && isIdle();
        }
        if (idle) {
            scheduler.signalOwner();
        }
    }

    /**
     * The run has ended early. Only when nothing more will be delivered.
     *
     * @param index the first record that was not delivered
     */
    public void giveBack(Run run, int index) {
        close();
        try (var _ = guard.enter()) {
            delivering = -1;
            if (!dropped) {
                cursor = run.records().get(index).offset();
                ledger.undelivered(cursor, kind.isAcknowledged() ? 0 : run.to() - index);
            }
        }
        scheduler.signalOwner();
    }

    private boolean isIdle() {
        learn();
        return ledger.undone() == 0 && delivering < 0;
    }

    /** Lets the window learn of the streak. */
    private void learn() {
        learn(streak.end());
    }

    private void learn(long end) {
        if (end > learned) {
            ledger.acknowledgedUpTo(end - 1);
            learned = end;
        }
    }

    /** The streak goes on at the first undone record; what was delivered before that is done. */
    private void follow() {
        if (kind == Handling.Streaming.Kind.COMMITTABLE && !closed) {
            long end = streak.end();
            learn(end);
            long oldest = ledger.oldest();
            if (oldest > end) {
                streak.moveTo(end, oldest);
            }
        }
    }

    // ---------------------------------------------------------------- who acknowledges

    @Override
    public TopicPartition partition() {
        return partition;
    }

    @Override
    public void done(long offset, @Nullable String metadata) {
        if (streak.goesOn(offset)) {
            return;
        }
        boolean idle;
        try (var _ = guard.enter()) {
            if (dropped) {
                counts.late.increment();
                return;
            }
            if (!ledger.acknowledged(offset)) {
                return;
            }
            note(offset, metadata);
            follow();
            idle = closed && isIdle();
        }
        if (idle) {
            scheduler.signalOwner();
        }
    }

    @Override
    public void doneUpTo(long offset, @Nullable String metadata) {
        boolean idle;
        try (var _ = guard.enter()) {
            if (dropped) {
                counts.late.increment();
                return;
            }
            if (ledger.acknowledgedUpTo(offset) > 0) {
                note(offset, metadata);
                follow();
            }
            idle = closed && isIdle();
        }
        if (idle) {
            scheduler.signalOwner();
        }
    }

    @Override
    public void emits(long offset, List<ProducerRecord<byte[], byte[]>> emitted, Receipt receipt) {
        if (kind != Handling.Streaming.Kind.TRANSACTIONAL) {
            throw new StreamException(partition + "@" + offset + " comes from a source that is not transactional, so"
                    + " that a transactional sink cannot commit it: read it by KafkaSource.transactional");
        }
        boolean late;
        boolean idle = false;
        try (var _ = guard.enter()) {
            late = dropped;
            if (late) {
                counts.late.increment();
            } else if (ledger.acknowledged(offset)) {
                outputs.add(new Handed(this, offset, List.copyOf(emitted), receipt));
                idle = closed && isIdle();
            } else {
                throw new StreamException(partition + "@" + offset + " was acknowledged before it came to the"
                        + " transactional sink, so that it and what it emits cannot be written at once: leave the"
                        + " acknowledgement to the sink, and give it each record once");
            }
        }
        if (late) {
            receipt.dropped();
        }
        if (idle) {
            scheduler.signalOwner();
        }
    }

    @Override
    public CompletionStage<@Nullable Void> commit() {
        try (var _ = guard.enter()) {
            if (dropped) {
                return CompletableFuture.completedStage(null);
            }
        }
        return commits.get();
    }

    private void note(long offset, @Nullable String metadata) {
        if (kind == Handling.Streaming.Kind.NOTED) {
            notes.put(offset, metadata == null ? "" : metadata);
            var covered = notes.headMap(ledger.committable(cursor));
            if (!covered.isEmpty()) {
                note = covered.lastEntry().getValue();
                covered.clear();
            }
        }
    }

    // ---------------------------------------------------------------- the owner

    @Override
    void placed() {
        outlet.opened(this);
    }

    @Override
    void found(String metadata) {
        try (var _ = guard.enter()) {
            note = metadata;
        }
    }

    @Override
    void append(Chunk chunk, long after) {
        try (var _ = guard.enter()) {
            next = after;
            if (closed) {
                return;
            }
            Chunk undone = restored == null ? chunk : undone(chunk);
            if (undone.size > 0) {
                ledger.fetched(undone);
                reserve.add(undone);
            } else if (reserve.isEmpty()) {
                cursor = next;
            }
        }
        listener.run();
    }

    /** What an earlier owner has not done of it. */
    private Chunk undone(Chunk chunk) {
        Decoded.Map map = restored;
        if (map == null || chunk.records.getFirst().offset() >= map.cursor()) {
            return chunk;
        }
        List<ConsumerRecord<byte[], byte[]>> undone = new ArrayList<>(chunk.size);
        for (ConsumerRecord<byte[], byte[]> record : chunk.records) {
            if (record.offset() >= map.cursor() || !map.isDone(record.offset())) {
                undone.add(record);
            }
        }
        return new Chunk(undone);
    }

    @Override
    void skipTo(long position) {
        try (var _ = guard.enter()) {
            if (!closed) {
                next = position;
                cursor = reserve.isEmpty() ? position : cursor;
            }
        }
    }

    @Override
    void pause() {
        try (var _ = guard.enter()) {
            paused = true;
        }
    }

    @Override
    void resume() {
        try (var _ = guard.enter()) {
            paused = false;
        }
        listener.run();
    }

    @Override
    void close() {
        try (var _ = guard.enter()) {
            if (closed) {
                return;
            }
            learn(streak.stop());
            closed = true;
            reserve.clear();
            ledger.clear();
            ledger.changeBytes(outputs.bytes()); // They are written yet, if there is time.
        }
        listener.run();
    }

    @Override
    int giveUp() {
        close();
        try (var _ = guard.enter()) {
            dropped = true;
            delivering = -1;
            notes.clear();
            int forgotten = ledger.forget();
            ledger.clear();
            return forgotten;
        }
    }

    @Override
    boolean isDropped() {
        return dropped;
    }

    @Override
    int busy() {
        try (var _ = guard.enter()) {
            return isIdle() ? 0 : Math.max(1, ledger.undone());
        }
    }

    @Override
    Progress progress(int metadataLimit) {
        try (var _ = guard.enter()) {
            learn();
            return kind == Handling.Streaming.Kind.NOTED
                    ? new Progress(ledger.committable(cursor), note)
                    : ledger.progress(cursor, restored, metadataLimit);
        }
    }

    /**
     * Nothing waits for room in the map: what a stream holds is its own affair, and a map that is too long is cut. But
     * what a transaction cannot name it cannot write.
     */
    @Override
    boolean mapIsNearLimit(int records, int limit) {
        try (var _ = guard.enter()) {
            if (kind != Handling.Streaming.Kind.TRANSACTIONAL) {
                return false;
            }
            int reserved =
                    (int) Math.min(ledger.records(), ledger.undone()); // The ledger of a track counts them at once.
            return ledger.mapIsNearLimit(cursor, records + reserved, limit);
        }
    }

    // ---------------------------------------------------------------- what it waits for

    /** The lowest offset that was delivered and is not done, or else the next one to deliver; -1 when there is none. */
    long oldest() {
        try (var _ = guard.enter()) {
            learn();
            if (ledger.undone() > 0) {
                return ledger.oldest();
            }
            Chunk head = reserve.peek();
            return delivering >= 0
                    ? delivering
                    : head == null ? -1 : head.records.get(index).offset();
        }
    }

    int unacknowledged() {
        try (var _ = guard.enter()) {
            learn();
            return ledger.undone();
        }
    }

    boolean isDelivering() {
        try (var _ = guard.enter()) {
            return delivering >= 0;
        }
    }
}
