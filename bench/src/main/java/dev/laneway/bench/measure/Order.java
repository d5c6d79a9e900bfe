package dev.laneway.bench.measure;

/** Which records a peer promises not to overlap. Immutable. */
public enum Order {
    /** One record after the other in each partition. */
    PARTITION,
    /** One record after the other of each key. */
    KEY,
    /** None. */
    NONE
}
