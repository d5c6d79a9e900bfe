package dev.laneway.ops;

/**
 * How a partition of a group does, from best to worst: the states of LinkedIn's Burrow, found from samples instead of
 * from single commits. The status of a group is the worst one of its partitions.
 */
public enum LagStatus {
    /** Nothing is left to do, or the group makes progress and its lag does not grow. */
    OK,
    /** Not enough is known; the reason says what is missing. */
    UNKNOWN,
    /** The group makes progress, and its lag grows all the same. Burrow's WARN. */
    GROWING,
    /** The committed offset has moved back, and is not yet where it was. */
    REWIND,
    /** A member has the partition, records wait, and the committed offset has not moved in the whole window. */
    STALL,
    /** Records wait, and no member has the partition. */
    STOP;

    /** The worse of two. */
    public LagStatus worse(LagStatus other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
