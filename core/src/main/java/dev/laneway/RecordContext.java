package dev.laneway;

import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What a handler may know of the attempt that it makes. Used by the thread that runs the handler, and by its
 * asynchronous stage, until that ends.
 */
public interface RecordContext {
    /** Which attempt this is: 1 for the first. Attempts before a restart or a rebalance do not count. */
    int attempt();

    /**
     * What the attempt before this one threw, or its {@link AttemptTimeoutException}; empty for the first attempt, and
     * after one that asked for {@link Outcome#retryAfter}. Of attempts before a restart or a rebalance nothing is
     * known.
     */
    Optional<Throwable> lastFailure();

    /**
     * The time left until the attempt counts as failed and is interrupted; empty when there is no attempt limit. Never
     * negative.
     */
    Optional<Duration> remaining();

    /** A short name of the record's lane, for logs: topic, partition and, ordered by key, a hash of the key. */
    String lane();

    /** The name of the member that runs the attempt: the name of the {@link Laneway} and the number of its consumer. */
    String member();

    /**
     * Adds a record to send when the attempt is done: also when it ends with {@link Outcome#skip}, or with
     * {@link Outcome#deadLetter}, in front of the dead letter. What an attempt has added that fails or is to be made
     * again ({@link Outcome#retryAfter}, {@link Outcome#stop}) is dropped: the next one adds anew. The record's offset
     * is committed only after the broker has acknowledged what it sends.
     */
    void emit(ProducerRecord<byte[], byte[]> record);
}
