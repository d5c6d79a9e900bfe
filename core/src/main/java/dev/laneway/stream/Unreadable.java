package dev.laneway.stream;

/**
 * What follows when a source's record cannot be deserialised because its bytes are wrong. Where only what reads them
 * fails for now (a schema registry or a broker that does not answer), no rule is needed: the partition waits, the
 * record is read again, and health says so.
 */
public enum Unreadable {
    /** The stream fails with the cause; the record is read again after a restart. The default. */
    FAIL,

    /**
     * The record is logged, counted as skipped and acknowledged. When 20 different ones of a topic in a row cannot be
     * read, they wait as if what reads them were at fault.
     */
    SKIP
}
