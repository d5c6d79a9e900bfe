package dev.laneway;

/** The reasons for which a partition is not fetched, see {@link PartitionSnapshot#pauseReason()}. Immutable. */
public enum PauseReason {
    /** The user has paused it. */
    USER,
    /** The consumer drains or closes. */
    ENDING,
    /** The stream of this partition was cancelled, so nobody reads it any more. */
    CANCELLED,
    /**
     * It holds its share of the records, and as many as other partitions can lend it. It is resumed when about half of
     * them are done, or wait behind busy keys while there is room.
     */
    SHARE_FULL,
    /**
     * All partitions together hold nearly as many records as fit. They are resumed when a quarter of that is free, or,
     * where shares are lent, when there is room beside what is kept for partitions that hold few.
     */
    RECORDS_FULL,
    /** What a fetch may bring does not fit into {@code bufferBytes} beside what is held. Partitions take turns. */
    BYTES_FULL,
    /** Nobody reads its records, and another partition needs the room. It is resumed when somebody reads. */
    UNREAD,
    /** The metadata of a commit can hardly hold more of what is done beyond the lowest unfinished record. */
    METADATA_FULL,
    /** The time of its next record has not come, and it waits with that: see {@link NotBefore}. */
    DELAYED,
    /** It has nothing to fetch, and its fetch would delay a partition that is behind. */
    AT_END
}
