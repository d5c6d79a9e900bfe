package dev.laneway.engine.handle;

import dev.laneway.Health;
import dev.laneway.StreamException;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.offsets.UserMetadata;
import dev.laneway.engine.runtime.EventCounts;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.AssignedRecords;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.TrackLedger;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
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
 * <p>Acknowledgements in the order of delivery make a {@link InOrderAcks}; whoever looks at the window lets it learn of
 * them first. A feed that is closed has no streak, since the last acknowledgement must wake the owner.
 *
 * <p>Thread-safe; at most one thread delivers.
 */
public final class StreamFeed extends AssignedRecords implements AckHandle {
    final HandlerSpec.Streaming.Kind kind;
    private final WakeSignal wake;
    final EventCounts counts;
    final HealthConditions conditions;
    private final HealthConditions.Subject unreadStream;
    private final Supplier<CompletionStage<@Nullable Void>> commits;
    final StreamOutlet outlet;
    private final InOrderAcks streak;
    private volatile Runnable listener = () -> {};
    private volatile boolean closed;
    /** Whether whoever delivers has found nothing to deliver since records came. */
    private volatile boolean wantsMore;
    /** Whether nobody will deliver any more, though the partition stays. */
    private volatile boolean cancelled;

    // All below is guarded.
    private final FetchedRecords reserve;
    private final UserMetadata notes = new UserMetadata();
    private boolean paused;
    private boolean dropped;
    /** The run that is being delivered, if there is one. */
    private @Nullable RecordSlice delivering;
    /** Whether the partition is about to be given up. */
    private boolean leaves;
    /** Whether the owner is to be woken when {@link #wantsMore}. */
    private boolean signalsWant;

    public StreamFeed(
            TopicPartition partition,
            long epoch,
            long start,
            DecodedMetadata.@Nullable Map restored,
            HandlerSpec.Streaming streaming,
            WakeSignal wake,
            EventCounts counts,
            HealthConditions conditions,
            Supplier<CompletionStage<@Nullable Void>> commits) {
        super(partition, epoch, new TrackLedger(partition, wake, counts), restored);
        this.kind = streaming.kind();
        this.outlet = streaming.outlet();
        this.wake = wake;
        this.counts = counts;
        this.conditions = conditions;
        this.unreadStream = new HealthConditions.Subject(Health.Cause.UNREAD, "unread stream", partition);
        this.commits = commits;
        this.streak = new InOrderAcks(ledger);
        this.reserve = new FetchedRecords(ledger, start, kind == HandlerSpec.Streaming.Kind.AT_MOST_ONCE);
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
     * Somebody has asked for records of this partition alone, and there are none. Then room is made for them, if need
     * be, at the cost of partitions that nobody reads.
     */
    public void want() {
        if (!wantsMore) {
            try (var _ = guard.enter()) {
                wantsMore = !closed && reserve.isEmpty();
                if (wantsMore && signalsWant) {
                    signalsWant = false;
                    wake.signal();
                }
            }
        }
    }

    /**
     * The stream has ended though its partition stays: nothing more is delivered, fetched or committed of it but what
     * was delivered. The partition stays unread until it is assigned anew, and health says so.
     */
    public void cancel() {
        shut();
        try (var _ = guard.enter()) {
            if (!leaves) {
                cancelled = true;
                String unread = FeedDiagnostics.describeUnread(partition, reserve.cursor());
                conditions.begin(unreadStream, Health.Status.DEGRADED, unread);
            }
        }
        wake.signal(); // To fetch nothing more.
    }

    /**
     * The next records, which count as delivered from now on. They must be said to be {@link #delivered} or be
     * {@link #giveBack given back} before the next ones are taken.
     *
     * @param most at least 1
     * @return null when there are none to deliver now
     */
    public @Nullable RecordSlice take(long most) {
        try (var _ = guard.enter()) {
            RecordSlice run = reserve.peek(most);
            if (run == null || closed || paused || delivering != null) {
                return null;
            }
            delivering = run;
            streak.learn(); // First: the window need not have room for what is done and for what comes.
            reserve.take(run, kind.isAcknowledged());
            follow();
            return run;
        }
    }

    /** All of the run has been delivered. */
    public void delivered() {
        try (var _ = guard.enter()) {
            delivering = null;
            signalIfIdle();
        }
    }

    /** The run has ended before its record of this index. Only when nothing more will be delivered. */
    public void giveBack(RecordSlice run, int index) {
        shut();
        try (var _ = guard.enter()) {
            delivering = null;
            if (!dropped) {
                reserve.returnTo(run.records().get(index).offset());
                ledger.undelivered(reserve.cursor(), kind.isAcknowledged() ? 0 : run.to() - index);
            }
        }
        wake.signal();
    }

    /** Wakes an owner that waits for what was delivered. */
    private void signalIfIdle() {
        if (closed && isIdle()) {
            wake.signal();
        }
    }

    private boolean isIdle() {
        streak.learn();
        return abandoned || (ledger.undone() == 0 && delivering == null);
    }

    private void follow() {
        if (kind == HandlerSpec.Streaming.Kind.COMMITTABLE && !closed) {
            streak.follow();
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
        try (var _ = guard.enter()) {
            if (dropped) {
                counts.late.increment();
            } else if (ledger.acknowledge(offset)) {
                note(offset, metadata);
                follow();
                signalIfIdle();
            }
        }
    }

    @Override
    public void doneUpTo(long offset, @Nullable String metadata) {
        try (var _ = guard.enter()) {
            if (dropped) {
                counts.late.increment();
                return;
            }
            if (ledger.acknowledgeUpTo(offset) > 0) {
                note(offset, metadata);
                follow();
            }
            signalIfIdle();
        }
    }

    @Override
    public void emits(long offset, List<ProducerRecord<byte[], byte[]>> emitted, Receipt receipt) {
        if (kind != HandlerSpec.Streaming.Kind.TRANSACTIONAL) {
            throw new StreamException(partition + "@" + offset + " comes from a source that is not transactional, so"
                    + " that a transactional sink cannot commit it: read it by KafkaSource.transactional");
        }
        try (var _ = guard.enter()) {
            if (!dropped) {
                if (!ledger.acknowledge(offset)) {
                    throw new StreamException(partition + "@" + offset + " was acknowledged before it came to the"
                            + " transactional sink, so that it and what it emits cannot be written at once: leave the"
                            + " acknowledgement to the sink, and give it each record once");
                }
                outputs.add(new StreamEmission(this, offset, List.copyOf(emitted), receipt));
                signalIfIdle();
                return;
            }
            counts.late.increment();
        }
        receipt.dropped();
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
        if (kind == HandlerSpec.Streaming.Kind.NOTED) {
            notes.add(offset, metadata, ledger.committable(reserve.cursor()));
        }
    }

    // ---------------------------------------------------------------- the owner

    @Override
    public void placed() {
        outlet.opened(this);
    }

    @Override
    public void found(String metadata) {
        try (var _ = guard.enter()) {
            notes.found(metadata);
        }
    }

    @Override
    public void append(Chunk chunk, long after) {
        try (var _ = guard.enter()) {
            reserve.fetchedTo(after);
            if (closed) {
                return;
            }
            Chunk undone = restored == null ? chunk : chunk.without(restored);
            if (undone.size > 0) {
                reserve.add(undone);
                wantsMore = false;
            } else {
                reserve.skip();
            }
        }
        listener.run();
    }

    @Override
    public void skipTo(long position) {
        try (var _ = guard.enter()) {
            if (!closed) {
                reserve.fetchedTo(position);
                reserve.skip();
            }
        }
    }

    @Override
    public boolean wantsMore() {
        return wantsMore;
    }

    @Override
    public void signalWhenMoreIsWanted() {
        try (var _ = guard.enter()) {
            signalsWant = !wantsMore;
            if (wantsMore) {
                wake.signal();
            }
        }
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public long giveBack(long keepRecords, long keepBytes) {
        try (var _ = guard.enter()) {
            return reserve.giveBack(keepRecords, keepBytes);
        }
    }

    @Override
    public void pause() {
        try (var _ = guard.enter()) {
            paused = true;
        }
    }

    @Override
    public void resume() {
        try (var _ = guard.enter()) {
            paused = false;
        }
        listener.run();
    }

    @Override
    public void close() {
        try (var _ = guard.enter()) {
            leaves = true;
        }
        shut();
    }

    private void shut() {
        try (var _ = guard.enter()) {
            if (!closed) {
                streak.stop();
                closed = true;
                wantsMore = false;
                reserve.clear();
                ledger.clear();
                ledger.changeBytes(outputs.bytes()); // They are written yet, if there is time.
            }
        }
        listener.run();
    }

    @Override
    public int giveUp() {
        close();
        try (var _ = guard.enter()) {
            dropped = true;
            delivering = null;
            conditions.end(unreadStream);
            notes.clear();
            int forgotten = ledger.forget();
            ledger.clear();
            return forgotten;
        }
    }

    @Override
    public boolean isDropped() {
        return dropped;
    }

    @Override
    public int busy() {
        try (var _ = guard.enter()) {
            return isIdle() ? 0 : Math.max(1, ledger.undone());
        }
    }

    @Override
    public Progress progress(int metadataLimit) {
        try (var _ = guard.enter()) {
            streak.learn();
            if (closed && delivering != null) {
                reserve.seal(delivering);
            }
            return kind == HandlerSpec.Streaming.Kind.NOTED
                    ? new Progress(ledger.committable(reserve.cursor()), notes.covered())
                    : ledger.progress(reserve.cursor(), restored, metadataLimit);
        }
    }

    /**
     * Nothing waits for room in the map: what a stream holds is its own affair, and a map that is too long is cut. But
     * what a transaction cannot name it cannot write.
     */
    @Override
    public boolean mapIsNearLimit(int records, int limit) {
        try (var _ = guard.enter()) {
            long taken = Math.min(ledger.records(), ledger.undone()); // A track's ledger counts them at once.
            return kind == HandlerSpec.Streaming.Kind.TRANSACTIONAL
                    && ledger.mapIsNearLimit(reserve.cursor(), records + (int) taken, limit);
        }
    }

    // ---------------------------------------------------------------- what it waits for

    /** The lowest offset that was delivered and is not done, or else the next one to deliver; -1 when there is none. */
    long oldest() {
        try (var _ = guard.enter()) {
            streak.learn();
            RecordSlice run = delivering;
            long next = run == null
                    ? reserve.first()
                    : run.records().get(run.from()).offset();
            return ledger.undone() > 0 ? ledger.oldest() : next;
        }
    }

    int unacknowledged() {
        try (var _ = guard.enter()) {
            streak.learn();
            return ledger.undone();
        }
    }

    boolean isDelivering() {
        try (var _ = guard.enter()) {
            return delivering != null;
        }
    }
}
