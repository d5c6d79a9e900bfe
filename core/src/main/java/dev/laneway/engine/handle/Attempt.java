package dev.laneway.engine.handle;

import dev.laneway.AsyncHandler;
import dev.laneway.NullKeys;
import dev.laneway.Options;
import dev.laneway.Ordering;
import dev.laneway.Outcome;
import dev.laneway.OutcomeHandler;
import dev.laneway.RecordHandler;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.AttemptResult;
import dev.laneway.engine.track.HeldRecord;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * How one record is handled: deserialise, call the handler, say how it ended. Never throws. What follows from anything
 * but a plain success is {@link AttemptSettlement}'s. Thread-safe.
 */
public final class Attempt {
    /** One kind of handler, with the types known. */
    private interface Call {
        AttemptResult call(ConsumerRecord<byte[], byte[]> raw, int number, @Nullable Throwable last) throws Throwable;
    }

    private final Host host;
    private final Options options;
    private final String member;
    private final UnreadableRecords unreadable;
    private final Call call;

    public Attempt(Host host, Options options, String member, HandlerSpec handling, UnreadableRecords unreadable) {
        this.host = host;
        this.unreadable = unreadable;
        this.options = options;
        this.member = member;
        Call handled = switch (handling) {
            case HandlerSpec.Plain<?, ?> plain -> plain(plain);
            case HandlerSpec.Each<?, ?> each -> each(each);
            case HandlerSpec.Async<?, ?> async -> async(async);
            case HandlerSpec.Batch<?, ?> batch ->
                (raw, number, last) -> {
                    throw new IllegalStateException("batches are called by BatchAttempt");
                };
            case HandlerSpec.Streaming streaming ->
                (raw, number, last) -> {
                    throw new IllegalStateException("records of streams are delivered, not handled");
                };
        };
        // Where no user's function has looked at records, nothing is to be asked of each.
        this.call = options.laneKey() == null && options.notBefore() == null ? handled : known(handled);
    }

    private static Call known(Call handled) {
        return (raw, number, last) -> {
            HeldRecord.requireKnown(raw);
            return handled.call(raw, number, last);
        };
    }

    /**
     * Calls the handler.
     *
     * @param number 1 for the first attempt
     * @param last why the attempt before this one failed; null when it did not, or there was none
     */
    AttemptResult run(ConsumerRecord<byte[], byte[]> raw, int number, @Nullable Throwable last) {
        try {
            return call.call(raw, number, last);
        } catch (Throwable failure) {
            // Errors too: a StackOverflowError of one record must not end a worker in silence.
            return new AttemptResult.Failed(failure);
        }
    }

    private <K, V> Call plain(HandlerSpec.Plain<K, V> plain) {
        RecordReader<K, V> reader = new RecordReader<>(plain.keys(), plain.values(), unreadable);
        RecordHandler<K, V> handler = plain.handler();
        return (raw, number, last) -> {
            handler.handle(reader.read(raw));
            return AttemptResult.Done.DONE;
        };
    }

    private <K, V> Call each(HandlerSpec.Each<K, V> each) {
        RecordReader<K, V> reader = new RecordReader<>(each.keys(), each.values(), unreadable);
        OutcomeHandler<K, V> handler = each.handler();
        return (raw, number, last) -> {
            ConsumerRecord<K, V> record = reader.read(raw);
            AttemptContext context = context(raw, number, last);
            return context.ended(handler.handle(record, context));
        };
    }

    private <K, V> Call async(HandlerSpec.Async<K, V> async) {
        RecordReader<K, V> reader = new RecordReader<>(async.keys(), async.values(), unreadable);
        AsyncHandler<K, V> handler = async.handler();
        return (raw, number, last) -> {
            ConsumerRecord<K, V> record = reader.read(raw);
            AttemptContext context = context(raw, number, last);
            @Nullable CompletionStage<Outcome> stage = handler.handle(record, context);
            if (stage == null) {
                return new AttemptResult.Failed(
                        new IllegalStateException("the asynchronous handler returned no stage"));
            }
            // Other classes may not tell: a minimal stage, which is read-only, is a future of the same name.
            if (stage.getClass() == CompletableFuture.class
                    && stage instanceof CompletableFuture<Outcome> future
                    && future.state() == CompletableFuture.State.SUCCESS) {
                return context.ended(future.resultNow());
            }
            return new AttemptResult.Pending(stage, context);
        };
    }

    private AttemptContext context(ConsumerRecord<byte[], byte[]> raw, int number, @Nullable Throwable last) {
        return new AttemptContext(this, raw, number, last, options.attemptLimit() == null ? 0 : host.nanoTime());
    }

    Optional<Duration> remaining(long startedNanos) {
        Duration limit = options.attemptLimit();
        if (limit == null) {
            return Optional.empty();
        }
        long left = limit.toNanos() - (host.nanoTime() - startedNanos);
        return Optional.of(Duration.ofNanos(Math.max(0, left)));
    }

    String member() {
        return member;
    }

    String laneName(ConsumerRecord<byte[], byte[]> record) {
        String partition = record.topic() + "-" + record.partition();
        return switch (options.ordering()) {
            case PARTITION -> partition;
            case KEY ->
                HeldRecord.laneKey(record) == null && options.nullKeys() == NullKeys.UNORDERED
                        ? partition + "@" + record.offset()
                        : partition + "#" + Integer.toHexString(Arrays.hashCode(HeldRecord.laneKey(record)));
            case UNORDERED -> partition + "@" + record.offset();
        };
    }

    Ordering ordering() {
        return options.ordering();
    }
}
