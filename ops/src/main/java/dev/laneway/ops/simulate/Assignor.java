package dev.laneway.ops.simulate;

/** By what a group shares out its partitions. */
public enum Assignor {
    /** Each member has as many partitions as the others, as Kafka's assignors have it. */
    COUNT,
    /** Each member has about the same load, as {@link dev.laneway.assign.LoadAssignor} has it. */
    LOAD
}
