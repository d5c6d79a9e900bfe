package dev.laneway;

/** How {@link Ordering#KEY} orders records that have no key, or no {@link LaneKey} where one is chosen. Immutable. */
public enum NullKeys {
    /** All records of one partition without a key keep their order, as if they shared a key. The default. */
    ORDERED,
    /** Records without a key may overlap. */
    UNORDERED
}
