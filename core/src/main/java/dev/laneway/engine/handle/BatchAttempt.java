package dev.laneway.engine.handle;

import dev.laneway.BatchHandler;
import dev.laneway.BatchOutcome;
import dev.laneway.Outcome;
import dev.laneway.engine.runtime.TracedRecords;
import dev.laneway.engine.track.AttemptResult;
import dev.laneway.engine.track.HeldRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** How a batch is handled: deserialise, call the handler once, say how each record ended. Never throws. Thread-safe. */
public final class BatchAttempt<K, V> {
    private final RecordReader<K, V> reader;
    private final BatchHandler<K, V> handler;

    public BatchAttempt(HandlerSpec.Batch<K, V> batch, UnreadableRecords unreadable) {
        this.reader = new RecordReader<>(batch.keys(), batch.values(), unreadable);
        this.handler = batch.handler();
    }

    /**
     * One result per record, in order. A record that cannot be read fails by itself and is not in the handler's list.
     *
     * @param interrupted whether the engine has interrupted this call: any other interrupt is a deserialiser's own
     * @param looped whether an agent is to trace the records over which the handler iterates
     */
    List<AttemptResult> run(List<ConsumerRecord<byte[], byte[]>> raw, BooleanSupplier interrupted, boolean looped) {
        AttemptResult[] results = new AttemptResult[raw.size()];
        List<ConsumerRecord<K, V>> readable = new ArrayList<>(raw.size());
        int[] positions = new int[raw.size()];
        for (int i = 0; i < results.length; i++) {
            try {
                HeldRecord.requireKnown(raw.get(i));
                readable.add(reader.read(raw.get(i)));
                positions[readable.size() - 1] = i;
            } catch (Throwable unreadable) {
                results[i] = new AttemptResult.Failed(unreadable);
            }
            if (Thread.interrupted() && interrupted.getAsBoolean()) {
                Thread.currentThread().interrupt();
            }
        }
        if (!readable.isEmpty()) {
            List<AttemptResult> called = looped ? callLooped(readable) : call(Collections.unmodifiableList(readable));
            for (int i = 0; i < called.size(); i++) {
                results[positions[i]] = called.get(i);
            }
        }
        return Arrays.asList(results);
    }

    private List<AttemptResult> callLooped(List<ConsumerRecord<K, V>> records) {
        TracedRecords.Loop<K, V> loop = new TracedRecords.Loop<>(records);
        try {
            return call(loop);
        } finally {
            loop.end();
        }
    }

    private List<AttemptResult> call(List<ConsumerRecord<K, V>> records) {
        try {
            @Nullable BatchOutcome outcome = handler.handle(records);
            return switch (outcome) {
                case null ->
                    all(
                            records,
                            new AttemptResult.Failed(new IllegalStateException(
                                    "the batch handler returned null: return BatchOutcome.done() when all are done")));
                case BatchOutcome.AllDone done -> all(records, AttemptResult.Done.DONE);
                case BatchOutcome.Each(List<Outcome> outcomes) ->
                    outcomes.size() == records.size()
                            ? outcomes.stream().map(BatchAttempt::result).toList()
                            : all(
                                    records,
                                    new AttemptResult.Failed(new IllegalStateException("the batch handler returned "
                                            + outcomes.size() + " outcomes for " + records.size() + " records")));
            };
        } catch (Throwable failure) {
            return all(records, new AttemptResult.Failed(failure));
        }
    }

    private static List<AttemptResult> all(List<?> records, AttemptResult result) {
        return Collections.nCopies(records.size(), result);
    }

    private static AttemptResult result(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Done done -> AttemptResult.Done.DONE;
            case Outcome.Emit(var outputs) ->
                outputs.isEmpty() ? AttemptResult.Done.DONE : new AttemptResult.Emits(outputs);
            case Outcome.Skip said -> new AttemptResult.Said(said);
            case Outcome.RetryAfter said -> new AttemptResult.Said(said);
            case Outcome.DeadLetter said -> new AttemptResult.Said(said);
            case Outcome.Stop said -> new AttemptResult.Said(said);
        };
    }
}
