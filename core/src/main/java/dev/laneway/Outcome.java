package dev.laneway;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What a handler decides about a record. Immutable. */
public sealed interface Outcome {
    /** The record is done. */
    static Outcome done() {
        return Done.INSTANCE;
    }

    /**
     * The record is tried again after the delay; its lane waits, no thread does. Counts as an attempt, but the failure
     * policy does not limit the number. What the attempt has emitted is dropped.
     */
    static Outcome retryAfter(Duration delay) {
        return new RetryAfter(delay);
    }

    /** The record counts as done and as skipped; the reason is logged. What the attempt has emitted is sent. */
    static Outcome skip(String reason) {
        return new Skip(reason);
    }

    /**
     * The record goes to the failure policy's dead-letter topic; without one the consumer stops. What the attempt has
     * emitted is sent first.
     */
    static Outcome deadLetter(String reason) {
        return new DeadLetter(reason);
    }

    /**
     * The consumer stops; the record is not done and is read again after a restart. What the attempt has emitted is
     * dropped.
     */
    static Outcome stop(String reason) {
        return new Stop(reason);
    }

    /** The records are sent in order; the record is done when the broker has acknowledged all of them. */
    static Outcome emit(List<ProducerRecord<byte[], byte[]>> records) {
        return new Emit(records);
    }

    /** See {@link Outcome#done()}. */
    enum Done implements Outcome {
        /** The only value. */
        INSTANCE
    }

    /** See {@link Outcome#retryAfter(Duration)}. */
    record RetryAfter(Duration delay) implements Outcome {
        /** Refuses a negative delay. */
        public RetryAfter {
            if (delay.isNegative() || delay.compareTo(Checks.LONGEST) > 0) {
                throw new IllegalArgumentException("retryAfter " + delay + " must be from zero to " + Checks.LONGEST);
            }
        }
    }

    /** See {@link Outcome#skip(String)}. */
    record Skip(String reason) implements Outcome {}

    /** See {@link Outcome#deadLetter(String)}. */
    record DeadLetter(String reason) implements Outcome {}

    /** See {@link Outcome#stop(String)}. */
    record Stop(String reason) implements Outcome {}

    /** See {@link Outcome#emit(List)}. */
    record Emit(List<ProducerRecord<byte[], byte[]>> records) implements Outcome {
        /** Copies the list. */
        public Emit {
            records = List.copyOf(records);
        }
    }
}
