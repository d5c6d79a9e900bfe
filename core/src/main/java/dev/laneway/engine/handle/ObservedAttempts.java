package dev.laneway.engine.handle;

import dev.laneway.engine.runtime.ObservedAttempt;
import dev.laneway.engine.runtime.ObserverCalls;
import dev.laneway.engine.track.AttemptResult;
import dev.laneway.engine.track.Batch;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Tells the user's observers of attempts: a worker without one calls {@link Attempt} and {@link BatchAttempt} itself.
 * Never throws. Thread-safe.
 */
final class ObservedAttempts {
    private final ObserverCalls observers;
    private final Attempt attempt;

    ObservedAttempts(ObserverCalls observers, Attempt attempt) {
        this.observers = observers;
        this.attempt = attempt;
    }

    /** As {@link Attempt#run}. */
    AttemptResult run(ConsumerRecord<byte[], byte[]> record, int number, @Nullable Throwable last, boolean follows) {
        ObservedAttempt observed = observers.attemptStarted(record, number, follows);
        if (observed == null) {
            return attempt.run(record, number, last);
        }
        AtomicReference<AttemptResult> held = new AtomicReference<>();
        observed.run(() -> held.setPlain(attempt.run(record, number, last)));
        AttemptResult result = held.getPlain();
        observed.returned();
        if (result instanceof AttemptResult.Pending pending) {
            awaitEnd(pending, observed);
        } else {
            observed.ended(failure(result));
        }
        return of(result, observed);
    }

    /** The engine waits for the stage itself; so does this, beside it. */
    private static void awaitEnd(AttemptResult.Pending pending, ObservedAttempt observed) {
        try {
            var _ = pending.stage().whenComplete((_, failure) -> observed.ended(failure));
        } catch (RuntimeException refused) {
            observed.ended(refused);
        }
    }

    /** As {@link BatchAttempt#run}. */
    List<AttemptResult> run(BatchAttempt<?, ?> batches, Batch batch) {
        boolean looped = observers.agentTraces();
        ObservedAttempt observed = observers.batchStarted(batch.records());
        if (observed == null) {
            return batches.run(batch.records(), batch::isInterrupted, looped);
        }
        AtomicReference<List<AttemptResult>> held = new AtomicReference<>();
        observed.run(() -> held.setPlain(batches.run(batch.records(), batch::isInterrupted, looped)));
        List<AttemptResult> results = held.getPlain();
        observed.returned();
        Throwable failure = null;
        for (AttemptResult result : results) {
            failure = failure == null ? failure(result) : failure;
        }
        observed.ended(failure);
        results.replaceAll(result -> of(result, observed));
        return results;
    }

    /** With who listens, for what may be sent; not where nothing will be, which is the usual case and one value. */
    private static AttemptResult of(AttemptResult result, ObservedAttempt observed) {
        return result == AttemptResult.Done.DONE ? result : new AttemptResult.Observed(result, observed);
    }

    private static @Nullable Throwable failure(AttemptResult result) {
        return result instanceof AttemptResult.Failed(Throwable cause) ? cause : null;
    }
}
