package dev.laneway;

/**
 * Which records must not overlap. Records that may overlap run in parallel; the others run one after another, in offset
 * order, retries included. Immutable.
 */
public enum Ordering {
    /** Records of one partition run in offset order. At most one record of a partition runs at a time. */
    PARTITION,

    /**
     * Records of one partition with equal key bytes run in offset order; different keys run in parallel. The default. The
     * same key in two partitions or two topics counts as two keys.
     */
    KEY,

    /** No order is kept: every record may overlap with every other. */
    UNORDERED
}
