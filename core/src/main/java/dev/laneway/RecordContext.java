package dev.laneway;

import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The current attempt, as its handler sees it. May be used by the thread that runs the handler, and by its asynchronous
 * stage, until the attempt ends.
 */
public interface RecordContext {
    /** The number of this attempt, from 1 on. Attempts before a restart or a rebalance are not counted. */
    int attempt();

    /**
     * The failure of the previous attempt: what it threw, or its {@link AttemptTimeoutException}. Empty for the first
     * attempt since a restart or a rebalance, and after {@link Outcome#retryAfter}.
     */
    Optional<Throwable> lastFailure();

    /**
     * The time left until the attempt is interrupted and counts as failed; never negative; empty if there is no attempt
     * limit.
     */
    Optional<Duration> remaining();

    /** A short name of the record's lane, for logs: topic, partition and, ordered by key, a hash of the key. */
    String lane();

    /** The name of the member that runs the attempt: {@link Options#name()} and the number of the consumer. */
    String member();

    /**
     * Adds a record to send when the attempt is done, skipped ({@link Outcome#skip}) or dead-lettered
     * ({@link Outcome#deadLetter}, before the dead letter). If the attempt fails or ends with
     * {@link Outcome#retryAfter} or {@link Outcome#stop}, nothing is sent: the next attempt emits again. The record's
     * offset is committed only after the broker has acknowledged all of it.
     */
    void emit(ProducerRecord<byte[], byte[]> record);
}
