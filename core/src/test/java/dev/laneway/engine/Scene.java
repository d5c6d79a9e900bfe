package dev.laneway.engine;

import dev.laneway.AsyncHandler;
import dev.laneway.FailurePolicy;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.Outcome;
import dev.laneway.RecordHandler;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.SteppedHost;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.OutgoingRecords;
import dev.laneway.engine.track.Track;
import dev.laneway.interleave.Steps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A few records, a few workers and an owner, as one run of interleavings. The owner waits for signals without a limit,
 * so a signal that is lost is a deadlock. Whenever it looks, what may be committed must be what handlers have done.
 */
public abstract class Scene implements Runnable {
    public static final int LIMIT = 4096;
    private static final int MOST_TURNS = 1_000;

    final Ordering ordering;
    public final SteppedHost host = new SteppedHost();
    public final Handled handled;
    public final Machine machine;
    public final Track track;
    private long committable;

    /** The handler's thread acknowledges nothing itself: as in Kafka, another thread does. */
    private static final class LateProducer extends MockProducer<byte[], byte[]> {
        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // A run's threads must not wait for a real monitor.
        public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
            Steps.spawn(() -> callback.onCompletion(null, null));
            return new CompletableFuture<>();
        }
    }

    public Scene(Options options, HandlerSpec handling, Handled handled) {
        this.ordering = options.ordering();
        this.handled = handled;
        this.machine = new Machine(
                host,
                options,
                handling,
                new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name()),
                new LateProducer());
        this.track = machine.track(Records.ORDERS_0, 0, restored());
    }

    public static Options options(Ordering ordering, int concurrency) {
        return Options.DEFAULTS
                .withOrdering(ordering)
                .withConcurrency(concurrency)
                .withFailurePolicy(FailurePolicy.DEFAULT);
    }

    /** Its records simply end. */
    public static HandlerSpec plain(Handled handled) {
        RecordHandler<byte[], byte[]> handler = record -> {
            handled.begins(record);
            Steps.point();
            handled.ends(record, true);
        };
        return new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), handler);
    }

    /** Its records end in all the ways there are, by their offset. */
    public static HandlerSpec mixed(Handled handled) {
        AsyncHandler<byte[], byte[]> handler = (record, context) -> {
            handled.begins(record);
            Steps.point();
            boolean first = context.attempt() == 1;
            return switch ((int) record.offset() % 6) {
                case 0 -> ended(handled, record, Outcome.done());
                case 1 -> {
                    if (first) {
                        handled.ends(record, false);
                        throw new IllegalStateException("the first attempt fails");
                    }
                    yield ended(handled, record, Outcome.done());
                }
                case 2 -> later(() -> ended(handled, record, Outcome.done()));
                case 3 -> ended(handled, record, Outcome.emit(List.of(new ProducerRecord<>("out", new byte[1]))));
                case 4 ->
                    later(() -> {
                        if (first) {
                            handled.ends(record, false);
                            return CompletableFuture.failedFuture(new IllegalStateException("the stage fails"));
                        }
                        return ended(handled, record, Outcome.done());
                    });
                default -> ended(handled, record, Outcome.skip("old"));
            };
        };
        return new HandlerSpec.Async<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), handler);
    }

    /** Its records keep their permit until another thread has completed their stage. */
    public static HandlerSpec later(Handled handled) {
        AsyncHandler<byte[], byte[]> handler = (record, context) -> {
            handled.begins(record);
            return later(() -> ended(handled, record, Outcome.done()));
        };
        return new HandlerSpec.Async<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), handler);
    }

    private static CompletableFuture<Outcome> ended(
            Handled handled, ConsumerRecord<byte[], byte[]> record, Outcome outcome) {
        handled.ends(record, true);
        return CompletableFuture.completedFuture(outcome);
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private static CompletableFuture<Outcome> later(java.util.function.Supplier<CompletableFuture<Outcome>> end) {
        CompletableFuture<Outcome> stage = new CompletableFuture<>();
        Steps.spawn(() -> end.get().whenComplete((outcome, failure) -> {
            if (failure == null) {
                stage.complete(outcome);
            } else {
                stage.completeExceptionally(failure);
            }
        }));
        return stage;
    }

    /** What an earlier owner has done; nothing. */
    public DecodedMetadata.Map restored() {
        return null;
    }

    public void append(Chunk chunk) {
        track.append(chunk, chunk.records.getLast().offset() + 1);
        machine.scheduler.workArrived();
    }

    /** The owner's turns until all that was appended is done. */
    public void untilDone() {
        int turns = 0;
        while (track.ledger.records() > 0 || track.busy() > 0) {
            turn();
            track.signalBelow(0);
            if (track.ledger.records() > 0 || track.busy() > 0) {
                machine.wake.park(Long.MAX_VALUE);
                Steps.yieldToOthers();
            }
            if (++turns > MOST_TURNS) {
                throw new AssertionError("no end: " + describe());
            }
        }
        turn();
    }

    /** What is left, for a run that gets to no end. */
    String describe() {
        StringBuilder left = new StringBuilder(
                track.ledger.records() + " held, " + track.busy() + " busy, " + machine.scheduler.running()
                        + " permits, running " + track.runningOffset() + ", claimable " + track.isClaimable());
        for (Lane lane : track.lanes.table()) {
            left.append(", ").append(lane);
        }
        return left.toString();
    }

    /** The owner's turns until what is in flight of a closed track has ended. */
    public void untilIdle(Track closed) {
        while (closed.busy() > 0) {
            turn();
            if (closed.busy() > 0) {
                machine.wake.park(Long.MAX_VALUE);
            }
        }
    }

    public void turn() {
        for (Event event = machine.inbox.poll(); event != null; event = machine.inbox.poll()) {
            switch (event) {
                case Event.Retry(Lane lane, long delayNanos) -> lane.track.lanes.wake(lane);
                case Event.Redeliver(OutgoingRecords delivery, long delayNanos) -> machine.scheduler.ready(delivery);
                case Event.Failed(Throwable cause) -> throw new AssertionError("an invariant is broken", cause);
                default -> throw new AssertionError("unexpected: " + event);
            }
        }
        checkProgress();
    }

    private void checkProgress() {
        Progress progress = track.progress(LIMIT);
        if (progress.offset() < committable) {
            throw new AssertionError("committable went back from " + committable + " to " + progress.offset());
        }
        committable = progress.offset();
        for (long offset : committed(progress)) {
            if (!wasDone(offset)) {
                throw new AssertionError("a commit of " + progress + " says that " + offset + " is done");
            }
        }
        handled.check();
    }

    /** Which offsets a commit of this progress says are done. */
    public List<Long> committed(Progress progress) {
        List<Long> done = new ArrayList<>();
        for (long offset = 0; offset < progress.offset(); offset++) {
            done.add(offset);
        }
        if (OffsetMap.decode(track.partition, progress.offset(), progress.metadata())
                instanceof DecodedMetadata.Map map) {
            for (long offset = progress.offset(); offset < map.cursor(); offset++) {
                if (map.isDone(offset)) {
                    done.add(offset);
                }
            }
        }
        return done;
    }

    private boolean wasDone(long offset) {
        DecodedMetadata.Map earlier = restored();
        return handled.offsets(0).contains(offset)
                || (earlier != null && offset < earlier.cursor() && earlier.isDone(offset));
    }

    /** After the last record: everything is done, counted, and given back. */
    public void checkEnd(long end) {
        Steps.awaitOthers();
        turn();
        expect("committable", end, track.progress(LIMIT).offset());
        expect("map", 0, track.progress(LIMIT).metadata().length());
        expect("handled", end, handled.offsets(0).size());
        expect("processed", end, machine.counts.processed.sum());
        expectAtRest();
    }

    public void expectAtRest() {
        expect("held records", 0, track.ledger.records());
        expect("held bytes", 0, track.ledger.bytes());
        expect("busy", 0, track.busy());
        expect("permits", 0, machine.scheduler.running());
        expect("late", 0, machine.counts.late.sum());
    }

    public static void expect(String what, long expected, long actual) {
        if (expected != actual) {
            throw new AssertionError(what + ": expected " + expected + ", was " + actual);
        }
    }
}
