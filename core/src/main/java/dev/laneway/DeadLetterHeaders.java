package dev.laneway;

/**
 * The headers that a dead letter carries beside the record's own. Values are UTF-8 text. Key, value and headers of the
 * record are copied byte for byte. Immutable.
 */
public final class DeadLetterHeaders {
    /** The topic that the record was read from. */
    public static final String TOPIC = "laneway.dlq.topic";
    /** The partition that the record was read from. */
    public static final String PARTITION = "laneway.dlq.partition";
    /** The record's offset. */
    public static final String OFFSET = "laneway.dlq.offset";
    /** The record's timestamp, milliseconds since the epoch. */
    public static final String TIMESTAMP = "laneway.dlq.timestamp";
    /** The consumer group, when there is one. */
    public static final String GROUP = "laneway.dlq.group";
    /** The class name of the failure; absent when the handler returned {@link Outcome#deadLetter}. */
    public static final String EXCEPTION = "laneway.dlq.exception";
    /** The failure's message, or the reason that the handler gave. */
    public static final String REASON = "laneway.dlq.reason";
    /** How many attempts were made. */
    public static final String ATTEMPTS = "laneway.dlq.attempts";

    private DeadLetterHeaders() {}
}
