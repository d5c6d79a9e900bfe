package dev.laneway.engine.handle;

import dev.laneway.LanewayObserver;
import dev.laneway.engine.runtime.ObserverCalls;
import dev.laneway.engine.track.AttemptResult;
import dev.laneway.engine.track.Batch;
import java.util.List;
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
        LanewayObserver.Attempt observed = observers.attemptStarted(record, number, follows);
        AttemptResult result = attempt.run(record, number, last);
        if (observed != null) {
            observers.attemptReturned(observed);
            if (result instanceof AttemptResult.Pending pending) {
                awaitEnd(pending, observed);
            } else {
                observers.attemptEnded(observed, failure(result));
            }
        }
        return result;
    }

    /** The engine waits for the stage itself; so does this, beside it. */
    private void awaitEnd(AttemptResult.Pending pending, LanewayObserver.Attempt observed) {
        try {
            var _ = pending.stage().whenComplete((_, failure) -> observers.attemptEnded(observed, failure));
        } catch (RuntimeException refused) {
            observers.attemptEnded(observed, refused);
        }
    }

    /** As {@link BatchAttempt#run}. */
    List<AttemptResult> run(BatchAttempt<?, ?> batches, Batch batch) {
        LanewayObserver.Attempt observed = observers.batchStarted(batch.records());
        List<AttemptResult> results = batches.run(batch.records(), batch::isInterrupted);
        if (observed != null) {
            observers.attemptReturned(observed);
            Throwable failure = null;
            for (AttemptResult result : results) {
                failure = failure == null ? failure(result) : failure;
            }
            observers.attemptEnded(observed, failure);
        }
        return results;
    }

    private static @Nullable Throwable failure(AttemptResult result) {
        return result instanceof AttemptResult.Failed(Throwable cause) ? cause : null;
    }
}
