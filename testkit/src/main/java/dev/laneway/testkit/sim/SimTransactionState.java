package dev.laneway.testkit.sim;

import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;

/**
 * The state of a producer's transaction, and the calls that it allows.
 *
 * <pre>
 *   NONE -- init --> READY -- begin --> OPEN -- commit, abort --> READY
 *                                       OPEN -- failed send, failed offsets --> ABORTABLE -- abort --> READY
 *                    any -- fenced --> FATAL
 * </pre>
 */
final class SimTransactionState {
    private final @Nullable String transactionalId;
    private State state = State.NONE;
    private SimTransactions.@Nullable Producer producer;
    private @Nullable RuntimeException cause;
    /** The call that timed out: it must be repeated and answered before any other call. */
    private @Nullable String unanswered;

    private enum State {
        NONE,
        READY,
        OPEN,
        ABORTABLE,
        FATAL
    }

    SimTransactionState(@Nullable String transactionalId) {
        this.transactionalId = transactionalId;
    }

    String requireId() {
        if (transactionalId == null) {
            throw new IllegalStateException(
                    "Transactional method invoked on a non-transactional producer: set transactional.id");
        }
        return transactionalId;
    }

    void initialized(SimTransactions.Producer self) {
        producer = self;
        state = State.READY;
    }

    void begin() {
        requireId();
        throwIfUnanswered("beginTransaction");
        throwIfFatal();
        if (state != State.READY) {
            throw new IllegalStateException(
                    "beginTransaction in state " + state + ": call initTransactions once, and end each transaction");
        }
        state = State.OPEN;
        cause = null;
    }

    /** The identity that records are sent with; null for a producer without transactions. */
    SimTransactions.@Nullable Producer sender() {
        if (transactionalId == null) {
            return null;
        }
        throwIfFatal();
        throwIfFailed();
        if (state != State.OPEN) {
            throw new IllegalStateException("Cannot send while in state " + state + ": begin a transaction first");
        }
        return producer;
    }

    SimTransactions.Producer requireOpen() {
        requireId();
        throwIfFatal();
        throwIfFailed();
        if (state != State.OPEN || producer == null) {
            throw new IllegalStateException("no transaction is open: state " + state);
        }
        return producer;
    }

    SimTransactions.Producer requireAbortable() {
        requireId();
        throwIfFatal();
        if ((state != State.OPEN && state != State.ABORTABLE) || producer == null) {
            throw new IllegalStateException("no transaction is open: state " + state);
        }
        return producer;
    }

    boolean isOpen() {
        return state == State.OPEN || state == State.ABORTABLE;
    }

    void ended() {
        state = State.READY;
        cause = null;
        unanswered = null;
    }

    /** Whether its end was requested and the result is not known yet. */
    boolean isEnding() {
        return unanswered != null;
    }

    /** Ends the transaction. Without an answer it must be called again, since the result is not known. */
    void end(String call, Runnable request) {
        throwIfUnanswered(call);
        try {
            guard(request);
        } catch (TimeoutException silence) {
            unanswered = call;
            throw silence;
        }
        ended();
    }

    private void throwIfUnanswered(String call) {
        if (unanswered != null && !unanswered.equals(call)) {
            throw new IllegalStateException("Cannot attempt operation `" + call + "` because the previous call to `"
                    + unanswered + "` timed out and must be retried");
        }
    }

    void sendFailed(@Nullable RuntimeException error) {
        if (error != null && transactionalId != null) {
            fail(error);
        }
    }

    void throwIfFailed() {
        if (state == State.ABORTABLE) {
            throw new KafkaException("Cannot execute transactional method because we are in an error state", cause);
        }
    }

    /** Runs a request and classifies its failure: fenced, to be aborted, or (a time-out) to be repeated. */
    void guard(Runnable request) {
        try {
            request.run();
        } catch (TimeoutException e) {
            throw e;
        } catch (UnknownMemberIdException | IllegalGenerationException | StaleMemberEpochException e) {
            CommitFailedException failure = new CommitFailedException(
                    "Transaction offset Commit failed due to consumer group metadata mismatch: " + e.getMessage());
            fail(failure);
            throw failure;
        } catch (KafkaException e) {
            fail(e);
            throw e;
        }
    }

    private void fail(RuntimeException error) {
        cause = error;
        boolean fenced = error instanceof ProducerFencedException || error instanceof InvalidProducerEpochException;
        state = fenced ? State.FATAL : state == State.OPEN ? State.ABORTABLE : state;
    }

    private void throwIfFatal() {
        if (state == State.FATAL) {
            throw new ProducerFencedException(
                    "There is a newer producer with the same transactionalId which fences the current one.");
        }
    }
}
