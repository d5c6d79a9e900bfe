package dev.laneway;

/** Which records may overlap. Immutable. */
public enum Ordering {
    /** One record of a partition at a time, in offset order: what a plain poll loop promises. */
    PARTITION,
    /**
     * Records with the same key bytes of one partition run one at a time, in offset order; other keys run beside them.
     * The default.
     */
    KEY,
    /** Every record may overlap with every other; no order is promised. */
    UNORDERED
}
