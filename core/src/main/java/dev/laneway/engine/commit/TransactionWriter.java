package dev.laneway.engine.commit;

import dev.laneway.engine.handle.OutgoingTopics;
import dev.laneway.engine.handle.OversizedOutput;
import dev.laneway.engine.runtime.DurationNanos;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.runtime.WakeSignal;
import dev.laneway.engine.track.RecordEmission;
import dev.laneway.engine.track.TransactionPart;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidCommitOffsetSizeException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one transaction after another through a producer of its own, on a thread of its own, so that neither the owner
 * nor a worker waits for one. The owner sends and takes the ending; everything else is confined to the transaction's
 * thread.
 */
public final class TransactionWriter {
    private static final Logger log = LoggerFactory.getLogger(TransactionWriter.class);

    private final Host host;
    private final WakeSignal wake;
    private final OutgoingTopics outgoing;
    private final Supplier<? extends Producer<byte[], byte[]>> supplier;
    private volatile @Nullable Producer<byte[], byte[]> producer;
    /** The answer that opens it, where it has been asked for. */
    private @Nullable CompletableFuture<Void> opening;

    private volatile boolean isOpen;

    private @Nullable Transaction sent;
    private volatile Transaction.@Nullable Ending ending;
    /** The transaction's thread while it waits for the broker to take the progress; guarded by this. */
    private @Nullable Thread offering;
    /** Whether the owner has ended that wait; guarded by this. */
    private boolean givenUp;

    public TransactionWriter(
            Host host,
            WakeSignal wake,
            OutgoingTopics outgoing,
            Supplier<? extends Producer<byte[], byte[]>> supplier) {
        this.host = host;
        this.wake = wake;
        this.outgoing = outgoing;
        this.supplier = supplier;
    }

    // ---------------------------------------------------------------- the owner

    /** Makes the producer: a wrong configuration fails at start. */
    void make() {
        producer = supplier.get();
    }

    /**
     * Asks the broker to end what an earlier process of this name has left open, and to fence it. Kafka's producer
     * waits for max.block.ms there and hears of no close, so the owner waits in {@link #awaitOpen} instead.
     */
    CompletableFuture<Void> open() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        opening = answer;
        host.background(() -> {
            try {
                producer().initTransactions();
                answer.complete(null);
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
            wake.signal();
        });
        return answer;
    }

    /**
     * Waits until it is open.
     *
     * @param goesOn whether to wait on
     * @return false when there is nothing to wait for any more
     * @throws RuntimeException what the producer has failed with; the next call asks again
     */
    boolean awaitOpen(Duration limit, BooleanSupplier goesOn) {
        long untilNanos = host.nanoTime() + DurationNanos.of(limit);
        CompletableFuture<Void> answer = opening;
        if (answer == null) {
            answer = open();
        }
        while (!answer.isDone()) {
            long left = untilNanos - host.nanoTime();
            if (!goesOn.getAsBoolean()) {
                return false;
            }
            if (left <= 0) {
                throw new TimeoutException("no answer from the transaction coordinator");
            }
            wake.park(left);
        }
        if (answer.state() == Future.State.SUCCESS) {
            isOpen = true;
            return true;
        }
        opening = null;
        throw answer.exceptionNow() instanceof RuntimeException failure
                ? failure
                : new IllegalStateException("the transactional producer did not open", answer.exceptionNow());
    }

    /** The transaction that is on its way, or whose ending was not taken. */
    @Nullable
    Transaction sent() {
        return sent;
    }

    void send(Transaction transaction) {
        sent = transaction;
        ending = null;
        synchronized (this) {
            givenUp = false;
        }
        host.background(() -> {
            try {
                ending = write(transaction);
            } catch (Throwable bug) {
                ending = new Transaction.Lost(new IllegalStateException("a transaction ended unexpectedly", bug));
            }
            wake.signal();
        });
    }

    /** How the transaction ended; null as long as it has not. */
    Transaction.@Nullable Ending take() {
        Transaction.Ending ended = ending;
        if (ended != null) {
            ending = null;
            sent = null;
        }
        return ended;
    }

    /** Whether the transaction has ended. */
    boolean hasEnded() {
        return ending != null;
    }

    /**
     * Gives up the transaction that is on its way, if the broker has not taken its progress yet: Kafka's producer
     * offers that of a topic that is gone again and again, until there is a topic of that name.
     */
    synchronized void giveUp() {
        if (offering != null) {
            offering.interrupt();
            offering = null;
            givenUp = true;
        }
    }

    /** Ends the producer. A transaction on its way is given up: the next one of this name ends it. */
    void close(Duration limit) {
        Producer<byte[], byte[]> open = producer;
        if (open != null) {
            open.close(isOpen ? limit : Duration.ZERO); // One that never opened has written nothing.
        }
    }

    // ---------------------------------------------------------------- the transaction's thread

    private Producer<byte[], byte[]> producer() {
        Producer<byte[], byte[]> open = producer;
        if (open == null) {
            throw new IllegalStateException("the writer has no producer yet");
        }
        return open;
    }

    private Transaction.Ending write(Transaction transaction) {
        AtomicReference<Transaction.@Nullable Refused> refusal = new AtomicReference<>();
        boolean committing = false;
        try {
            Producer<byte[], byte[]> open = producer();
            open.beginTransaction();
            for (TransactionPart part : transaction.parts().values()) {
                send(open, part.outputs(), refusal);
            }
            offer(open, transaction);
            committing = true;
            untilAnswered("commit", open::commitTransaction);
            return new Transaction.Committed();
        } catch (Exception failure) {
            Transaction.Refused refused = refusal.get();
            if (refused != null && isAbortable(failure)) {
                Transaction.Ending aborted = abort(refused.cause(), false);
                return aborted instanceof Transaction.Aborted && isHopeless(refused.cause()) ? refused : aborted;
            }
            return abort(failure, committing);
        }
    }

    private void offer(Producer<byte[], byte[]> open, Transaction transaction) {
        synchronized (this) {
            offering = Thread.currentThread();
        }
        try {
            for (Map<TopicPartition, OffsetAndMetadata> offsets : transaction.offsets()) {
                open.sendOffsetsToTransaction(offsets, transaction.group());
            }
        } catch (InterruptException end) {
            if (!isGivenUp()) {
                throw end;
            }
        } finally {
            endOffer();
        }
        if (isGivenUp()) {
            throw new UnknownTopicOrPartitionException("a topic whose progress it contains does not exist");
        }
    }

    private synchronized void endOffer() {
        offering = null;
        if (givenUp) {
            var _ = Thread.interrupted();
        }
    }

    private synchronized boolean isGivenUp() {
        return givenUp;
    }

    private void send(
            Producer<byte[], byte[]> open,
            List<RecordEmission> emissions,
            AtomicReference<Transaction.@Nullable Refused> refusal) {
        for (RecordEmission emission : emissions) {
            for (ProducerRecord<byte[], byte[]> output : emission.outputs()) {
                send(open, emission, output, refusal);
            }
        }
    }

    private void send(
            Producer<byte[], byte[]> open,
            RecordEmission emission,
            ProducerRecord<byte[], byte[]> output,
            AtomicReference<Transaction.@Nullable Refused> refusal) {
        OutgoingTopics.Way way = outgoing.to(output.topic());
        way.begin();
        try {
            // The first failure ends the transaction; those behind it only say that it has ended.
            emission.send(open, output, (metadata, failure) -> {
                way.end();
                if (failure != null && !(failure instanceof TransactionAbortedException)) {
                    refusal.compareAndSet(
                            null, new Transaction.Refused(emission, OversizedOutput.told(output, metadata, failure)));
                }
            });
        } catch (RuntimeException notTaken) {
            way.end();
            throw notTaken;
        }
        if (OversizedOutput.mayBe(output)) {
            open.flush(); // Nothing joins its batch, see there.
        }
    }

    /** Without an answer it is not known what the broker did, so that nothing else can be done but ask again. */
    private static void untilAnswered(String what, Runnable call) {
        while (true) {
            try {
                call.run();
                return;
            } catch (TimeoutException unanswered) {
                log.warn("a transaction's {} was not answered, again: {}", what, unanswered.toString());
            }
        }
    }

    private Transaction.Ending abort(Exception cause, boolean committing) {
        try {
            if (!committing && isGivenUp()) {
                replaceProducer(); // This one still offers the progress, and would abort only after that.
                return new Transaction.Aborted(cause);
            }
            if (isAbortable(cause)) {
                untilAnswered("abort", producer()::abortTransaction);
                return new Transaction.Aborted(cause);
            }
            if (!committing && isForgotten(cause)) {
                replaceProducer();
                return new Transaction.Aborted(cause);
            }
            if (!committing && isTooMuchMetadata(cause)) {
                replaceProducer();
                return new Transaction.Aborted(
                        says(cause, Errors.OFFSET_METADATA_TOO_LARGE)
                                ? new OffsetMetadataTooLarge(cause.getMessage(), cause)
                                : new InvalidCommitOffsetSizeException(cause.getMessage(), cause));
            }
            return new Transaction.Lost(cause);
        } catch (Exception failure) {
            if (isFenced(failure)) {
                failure.addSuppressed(cause); // Why it was to be aborted is no reason to stop, this is.
                return new Transaction.Lost(failure);
            }
            cause.addSuppressed(failure);
            return new Transaction.Lost(cause);
        }
    }

    /** The broker has forgotten the producer, which then can go on as a new one; whatever it had begun is aborted. */
    private void replaceProducer() {
        producer().close(Duration.ZERO);
        Producer<byte[], byte[]> fresh = supplier.get();
        producer = fresh;
        untilAnswered("start", fresh::initTransactions);
    }

    /** Kafka's producer tells it by the text alone, and can do nothing any more. */
    private static boolean isTooMuchMetadata(Exception failure) {
        // Of a batch that is too large for the topic of offsets brokers say only that something unexpected happened.
        return says(failure, Errors.OFFSET_METADATA_TOO_LARGE)
                || says(failure, Errors.INVALID_COMMIT_OFFSET_SIZE)
                || (says(failure, Errors.UNKNOWN_SERVER_ERROR)
                        && String.valueOf(failure.getMessage()).contains("TxnOffsetCommit"));
    }

    private static boolean says(Exception failure, Errors error) {
        String text = error.message();
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof KafkaException && String.valueOf(at.getMessage()).contains(text)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isForgotten(Exception failure) {
        return has(failure, InvalidPidMappingException.class)
                || has(failure, UnknownProducerIdException.class)
                || has(failure, OutOfOrderSequenceException.class);
    }

    /** Whether the producer can abort the transaction after this. */
    private static boolean isAbortable(Exception failure) {
        return failure instanceof KafkaException
                && !(failure instanceof InterruptException)
                && !isForgotten(failure)
                && !isTooMuchMetadata(failure)
                && !isFenced(failure)
                && !has(failure, InvalidTxnStateException.class);
    }

    /** Whether another producer of the same name has taken over. */
    static boolean isFenced(Exception failure) {
        return has(failure, ProducerFencedException.class) || has(failure, InvalidProducerEpochException.class);
    }

    /** Whether the broker will refuse the same record again. */
    private static boolean isHopeless(Exception failure) {
        return failure instanceof ApiException
                && !(failure instanceof RetriableException)
                && !(failure instanceof AuthorizationException)
                && !(failure instanceof AuthenticationException)
                && !(failure instanceof TransactionAbortableException)
                && !isForgotten(failure)
                && !isFenced(failure);
    }

    private static boolean has(Throwable failure, Class<? extends Throwable> kind) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (kind.isInstance(at)) {
                return true;
            }
        }
        return false;
    }
}
