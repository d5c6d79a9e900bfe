package dev.laneway.ops;

/** The protocols by which the members of a group share partitions. */
public enum GroupKind {
    /** Consumers whose leader assigns the partitions. */
    CLASSIC,
    /** Consumers whose coordinator assigns the partitions (KIP-848). */
    CONSUMER,
    /** Members of a Kafka Streams application (KIP-1071). */
    STREAMS,
    /** Members that share partitions record by record (KIP-932). */
    SHARE
}
