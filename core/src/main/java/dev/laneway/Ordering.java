package dev.laneway;

/** Which records may overlap. Immutable. */
public enum Ordering {
    /** One record of a partition at a time, in offset order, as a plain poll loop does. */
    PARTITION,
    /**
     * Records of one partition with the same key bytes run one at a time, in offset order; different keys run at once.
     * The default. A {@link LaneKey} takes the place of the key.
     */
    KEY,
    /** Every record may overlap with every other; no order is promised. */
    UNORDERED
}
