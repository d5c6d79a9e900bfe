package dev.laneway;

/** What {@link Ordering#KEY} does with records that have no key. Immutable. */
public enum NullKeys {
    /**
     * All records without a key of one partition keep their order, as if they shared a key. The default: nothing is
     * reordered unasked.
     */
    ORDERED,
    /** Records without a key overlap freely. */
    UNORDERED
}
