package dev.laneway;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a consumer does: for metrics, traces and logs of your own. Each method does nothing unless it is
 * overridden. Give a {@link Factory} to {@link LanewayBuilder#observer}, or to the settings of a stream, where nobody
 * runs attempts: there the methods about attempts, retries and dead letters are not called.
 *
 * <p><b>Threads.</b> Each method says which thread calls it. Workers and the owner threads of several members call at
 * once, so an observer must be thread-safe. No lock of the engine is held during a call.
 *
 * <p><b>Failures.</b> What a method throws is logged, at most once a second for each method, and has no other effect:
 * not on the record, not on the commit, not on other observers.
 *
 * <p><b>Waiting.</b> A method that does not return holds up its thread, as a handler would: on a worker it is part of
 * the attempt, which the attempt limit may interrupt, and health tells of a stuck record; on an owner thread nothing is
 * fetched or committed, health names the method, and {@code close} interrupts it after its limit. So hand on what takes
 * time to a thread of your own. Leave the thread's interrupt flag as it was.
 *
 * <p>What is only counted stands in {@link Snapshot#counters()}, and is not told here for each record.
 */
public interface LanewayObserver {
    /** Makes the observer of a consumer, once for each start; may be used for several consumers. */
    @FunctionalInterface
    interface Factory {
        /**
         * Called by the thread that starts the consumer, before anything is fetched. What it throws ends the start.
         *
         * @param consumer what to ask for gauges and counters
         */
        LanewayObserver observe(Subject consumer);
    }

    /** The consumer that is observed, all its members together. Thread-safe; also after its end. */
    interface Subject {
        /** Its name, see {@link Options#name()}. */
        String name();

        /** Its {@code group.id}. */
        Optional<String> group();

        /** See {@link Laneway#snapshot()}; not for every record. */
        Snapshot snapshot();

        /** See {@link Laneway#health()}. */
        Health health();

        /** The metrics of Kafka's own consumers, one of each member, as they are now. */
        Map<MetricName, Metric> clientMetrics();

        /**
         * Whether a Java agent traces Kafka's clients in this process, as OpenTelemetry's does. It then makes the spans
         * of producers, those of Laneway included; see {@link #tracesAttempts} for those of attempts.
         */
        default boolean clientsAreTraced() {
            return false;
        }
    }

    /** One attempt at a record, or at a batch, that an observer wants to hear the end of. */
    interface Attempt {
        /**
         * Calls the handler, in what the observer binds around it: a {@link ScopedValue}, a context of the thread. On
         * the thread that told of its start, before {@link #returned}. The handler runs once: what is not run here runs
         * afterwards, and a second run is refused with an {@link IllegalStateException}.
         *
         * @param handler to be run once, on this thread, before this returns. It throws nothing: what the handler
         *     throws is told to {@link #ended}
         */
        default void around(Runnable handler) {
            handler.run();
        }

        /**
         * The handler has returned or thrown. On the thread that told of its start. An asynchronous handler's stage may
         * not have completed.
         */
        default void returned() {}

        /**
         * The attempt is over. On the thread that told of its start, or on the thread that completes an asynchronous
         * handler's stage; on a worker where that stage was over the attempt limit. Called once; without a limit not
         * for a stage that never completes.
         *
         * @param failure what the handler has thrown or its stage has failed with; null where it returned an outcome
         */
        void ended(@Nullable Throwable failure);

        /**
         * A record is about to be sent because of this attempt: what its handler emits, or the dead letter of the
         * record; again where that is tried again. After the attempt's end, on a worker, or with exactly-once on the
         * thread of the transaction.
         *
         * @param record the one that was handled, as {@link #attemptStarted} is given it; of a batch one of its records
         * @param output a copy of what is to be sent, whose headers may be changed; nothing else of it may be
         * @return hears of the answer; null where nobody wants to
         */
        default @Nullable Sending sends(ConsumerRecord<byte[], byte[]> record, ProducerRecord<byte[], byte[]> output) {
            return null;
        }
    }

    /** A record on its way to the broker, see {@link Attempt#sends}. */
    interface Sending {
        /**
         * Gives the record to Kafka's producer, in what the observer binds around that; the rules are those of
         * {@link Attempt#around}. On the thread that told of the record.
         */
        default void around(Runnable send) {
            send.run();
        }

        /**
         * The broker has acknowledged the record, or it cannot be sent. On the producer's own thread, which sends
         * nothing meanwhile, or on the thread that told of the record.
         *
         * @param failure why it is not sent; null where it is
         */
        void ended(@Nullable Exception failure);
    }

    /**
     * A handler is about to be called. On its worker.
     *
     * @param record as it was fetched, its key and value not deserialised; its arrays and headers are the engine's and
     *     must not be changed
     * @param attempt from 1 on
     * @param follows whether the worker comes straight from the record before it in the partition. There a million
     *     attempts may follow each other in a second, and what this call takes is what they take: an observer of times
     *     leaves most of these out
     * @return what hears of the end; null where nobody wants to
     */
    default @Nullable Attempt attemptStarted(ConsumerRecord<byte[], byte[]> record, int attempt, boolean follows) {
        return null;
    }

    /**
     * A handler of batches is about to be called. On its worker. The failure of a batch is what its first failed record
     * has failed with.
     *
     * @param records each as {@link #attemptStarted} is given it
     * @return what hears of the end; null where nobody wants to
     */
    default @Nullable Attempt batchStarted(List<ConsumerRecord<byte[], byte[]>> records) {
        return null;
    }

    /**
     * An attempt has failed, and the failure policy decides what follows. On a worker.
     *
     * @param cause what was thrown, or an {@link AttemptTimeoutException}
     */
    default void attemptFailed(ConsumerRecord<byte[], byte[]> record, int attempt, Throwable cause) {}

    /**
     * A record will be tried again. On a worker.
     *
     * @param attempt the one that has ended
     * @param cause null where the handler asked for it by {@link Outcome#retryAfter}
     */
    default void retryScheduled(
            ConsumerRecord<byte[], byte[]> record, int attempt, Duration delay, @Nullable Throwable cause) {}

    /**
     * A record was given up and counts as done. On a worker, on the owner thread, on the producer's thread, or on the
     * thread that a stream delivers on.
     */
    default void skipped(TopicPartition partition, long offset, @Nullable Throwable cause) {}

    /**
     * A dead letter was acknowledged. On the producer's own thread, which sends nothing meanwhile; with exactly-once on
     * the owner thread.
     *
     * @param topic where it is
     */
    default void deadLettered(TopicPartition partition, long offset, String topic) {}

    /**
     * Records were fetched and wait for a worker, or for a subscriber; some may come again, where others needed their
     * room meanwhile. On the owner thread.
     *
     * @param records how many; the offsets between may have gaps
     */
    default void fetched(TopicPartition partition, long firstOffset, long lastOffset, int records) {}

    /**
     * Results came after their partition had been given up, and were ignored. On the owner thread, about once a second.
     *
     * @param results how many since the last call
     */
    default void late(long results) {}

    /**
     * A partition was given up with records in flight, which its next owner handles again. On the owner thread.
     *
     * @param records how many
     */
    default void dropped(TopicPartition partition, int records) {}

    /**
     * Records behind busy keys are no longer held, but wait in the log. On the owner thread, about once a second.
     *
     * @param records how many since the last call
     */
    default void spilled(long records) {}

    /**
     * Records that had been spilled are held again. On the owner thread, about once a second.
     *
     * @param records how many since the last call
     */
    default void refilled(long records) {}

    /**
     * The broker has answered a commit of progress. On the owner thread. Not called in share groups, which acknowledge
     * records, nor for the start positions that a group commits first.
     *
     * @param offsets what it contained; the length of a metadata is the size of the map of what is done, in characters
     * @param took from the request to the answer
     * @param failure why it is not stored; null where it is
     */
    default void committed(
            Map<TopicPartition, OffsetAndMetadata> offsets, Duration took, @Nullable Exception failure) {}

    /**
     * A transaction of exactly-once has ended. On the owner thread.
     *
     * @param partitions whose progress it contained
     * @param took from its begin to when the owner thread saw its end
     * @param failure why nothing of it is written; null where it is committed
     */
    default void transactionEnded(Collection<TopicPartition> partitions, Duration took, @Nullable Exception failure) {}

    /**
     * The group, or the user by {@link LanewayBuilder#assign}, has given partitions to a member. On the owner thread.
     *
     * @param partitions those that are new to it; may be none
     * @param took until they could be processed, the rebalance listener included
     */
    default void assigned(Collection<TopicPartition> partitions, Duration took) {}

    /**
     * A member has given partitions up. On the owner thread.
     *
     * @param took the wait for what was in flight, the last commit and the rebalance listener included
     */
    default void revoked(Collection<TopicPartition> partitions, Duration took) {}

    /** As {@link #revoked}, of partitions that another member had already, so that nothing was committed. */
    default void lost(Collection<TopicPartition> partitions, Duration took) {}

    /**
     * A member has another state. On its owner thread.
     *
     * @param member its name, see {@link RecordContext#member()}
     */
    default void stateChanged(String member, State state) {}

    /**
     * All members have ended, and nothing is told any more. On the owner thread of the last one, or on the thread that
     * starts the consumer if the start fails. Free here what was taken.
     *
     * @param failure what ended it; null after a clean end
     */
    default void ended(@Nullable Throwable failure) {}

    /**
     * Whether this observer traces attempts. Where none does and a Java agent traces Kafka's clients
     * ({@link Subject#clientsAreTraced}), Laneway lets the agent trace each handler as it would in a loop over polled
     * records. On the thread that starts the consumer, before a worker runs.
     */
    default boolean tracesAttempts() {
        return false;
    }
}
