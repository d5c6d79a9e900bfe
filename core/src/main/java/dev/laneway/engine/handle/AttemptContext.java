package dev.laneway.engine.handle;

import dev.laneway.Outcome;
import dev.laneway.RecordContext;
import dev.laneway.engine.track.AttemptResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** The {@link RecordContext} of one attempt. Used by one thread at a time. */
final class AttemptContext implements RecordContext, AttemptResult.Ending {
    private final Attempt attempt;
    private final ConsumerRecord<byte[], byte[]> record;
    private final int number;
    private final @Nullable Throwable last;
    private final long startedNanos;
    private @Nullable List<ProducerRecord<byte[], byte[]>> outputs;

    AttemptContext(
            Attempt attempt,
            ConsumerRecord<byte[], byte[]> record,
            int number,
            @Nullable Throwable last,
            long startedNanos) {
        this.attempt = attempt;
        this.record = record;
        this.number = number;
        this.last = last;
        this.startedNanos = startedNanos;
    }

    @Override
    public int attempt() {
        return number;
    }

    @Override
    public Optional<Throwable> lastFailure() {
        return Optional.ofNullable(last);
    }

    @Override
    public Optional<Duration> remaining() {
        return attempt.remaining(startedNanos);
    }

    @Override
    public String lane() {
        return attempt.laneName(record);
    }

    @Override
    public String member() {
        return attempt.member();
    }

    @Override
    public void emit(ProducerRecord<byte[], byte[]> output) {
        if (outputs == null) {
            outputs = new ArrayList<>();
        }
        outputs.add(Objects.requireNonNull(output, "emit(null): give a record"));
    }

    @Override
    public AttemptResult ended(@Nullable Outcome outcome) {
        return switch (outcome) {
            case null ->
                new AttemptResult.Failed(new IllegalStateException(
                        "the handler returned null: return Outcome.done() when the record is done"));
            case Outcome.Done done -> outputs == null ? AttemptResult.Done.DONE : new AttemptResult.Emits(outputs);
            case Outcome.Emit(var more) -> {
                if (outputs != null) {
                    outputs.addAll(more);
                    yield new AttemptResult.Emits(outputs);
                }
                yield more.isEmpty() ? AttemptResult.Done.DONE : new AttemptResult.Emits(more);
            }
            case Outcome.Skip said -> new AttemptResult.Said(said, outputs == null ? List.of() : outputs);
            case Outcome.RetryAfter said -> new AttemptResult.Said(said);
            case Outcome.DeadLetter said -> new AttemptResult.Said(said, outputs == null ? List.of() : outputs);
            case Outcome.Stop said -> new AttemptResult.Said(said);
        };
    }
}
