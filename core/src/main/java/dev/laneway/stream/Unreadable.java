package dev.laneway.stream;

/**
 * What happens if a record of a source cannot be deserialised because its bytes are wrong. If the deserialiser fails
 * for a reason that may pass (a schema registry that does not answer), the partition waits, the record is read again,
 * and health says so. Immutable.
 */
public enum Unreadable {
    /** The stream fails with the cause; the record is read again after a restart. The default. */
    FAIL,

    /**
     * The record is logged, counted as skipped and acknowledged. If 20 different records of a topic in a row cannot be
     * read, they wait instead, because the deserialiser is probably at fault.
     */
    SKIP
}
