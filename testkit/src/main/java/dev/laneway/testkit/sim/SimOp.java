package dev.laneway.testkit.sim;

/** An operation of a simulated client that {@link Faults} can disturb. Immutable. */
public enum SimOp {
    /** A call of {@code poll}. Only {@link Faults.Action#fail} makes sense: it is thrown from the call. */
    POLL,
    /** A commit of offsets by a consumer. */
    COMMIT,
    /** Reading committed offsets. */
    OFFSET_FETCH,
    /** Looking up the first, last or a timestamp's offset. */
    LIST_OFFSETS,
    /** A fetch of records. */
    FETCH,
    /** Joining a classic group. */
    JOIN,
    /** The second half of a classic join, in which the assignment comes. */
    SYNC,
    /** A heartbeat of either protocol. */
    HEARTBEAT,
    /** Leaving a group. */
    LEAVE,
    /** Sending a record. */
    PRODUCE,
    /** Starting a producer's transactions, or ending one. */
    TRANSACTION,
    /** Writing offsets into a transaction. */
    TRANSACTION_OFFSETS
}
