package dev.laneway.engine.track;

import dev.laneway.Outcome;
import dev.laneway.engine.runtime.ObservedAttempt;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** How an attempt ended. Immutable. */
public sealed interface AttemptResult {
    /** The same attempt, which counts as failed however it ended. */
    default AttemptResult failed(Throwable cause) {
        return new Failed(cause);
    }

    /** The record is done. One value, so that the hot path compares references and allocates nothing. */
    enum Done implements AttemptResult {
        DONE
    }

    /** The records are to be sent; the record is done when they are acknowledged. */
    record Emits(List<ProducerRecord<byte[], byte[]>> outputs) implements AttemptResult {}

    /**
     * The handler decided otherwise: skip, retry, dead-letter, stop.
     *
     * @param outputs what is sent though it did not succeed; empty where the record is tried again
     */
    record Said(Outcome outcome, List<ProducerRecord<byte[], byte[]>> outputs) implements AttemptResult {
        public Said(Outcome outcome) {
            this(outcome, List.of());
        }
    }

    /** The handler threw, or what it returned is not allowed. */
    record Failed(Throwable cause) implements AttemptResult {}

    /** The handler returned a stage that had not completed; the attempt says what its outcome means. */
    record Pending(CompletionStage<Outcome> stage, Ending attempt) implements AttemptResult {}

    /** Any result but {@link Done}, of an attempt that observers listen to: they hear of what it sends, too. */
    record Observed(AttemptResult result, ObservedAttempt by) implements AttemptResult {
        @Override
        public AttemptResult failed(Throwable cause) {
            return new Observed(new Failed(cause), by);
        }
    }

    /** An attempt whose outcome is known later. */
    interface Ending {
        /** The result of an attempt that returned this outcome. */
        AttemptResult ended(@Nullable Outcome outcome);
    }
}
