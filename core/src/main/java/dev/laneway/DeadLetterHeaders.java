package dev.laneway;

/**
 * The headers that a dead letter has in addition to the record's own. Values are UTF-8 text. Key, value and headers of
 * the record are copied byte for byte, without changes that deserialisers or handlers made. A dead letter that is
 * refused for its size is sent again with less: first without {@link #CAUSE} and {@link #STACK}, then without the
 * value, see {@link #OMITTED}. Immutable.
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
    /** The failure's message, or the reason that the handler gave; cut to 1,000 characters. */
    public static final String REASON = "laneway.dlq.reason";
    /** How many attempts were made. */
    public static final String ATTEMPTS = "laneway.dlq.attempts";

    /**
     * Class and message of the failure's deepest cause, cut to 1,000 characters; absent when the failure has no cause.
     */
    public static final String CAUSE = "laneway.dlq.cause";
    /** The failure's stack and those of its causes, cut to 4,000 characters. */
    public static final String STACK = "laneway.dlq.stack";
    /**
     * What was left out because the record was too large for the topic or the producer: "value", or "key, value,
     * headers" if key and headers exceed 16 KiB. Absent if nothing was.
     */
    public static final String OMITTED = "laneway.dlq.omitted";

    private DeadLetterHeaders() {}
}
