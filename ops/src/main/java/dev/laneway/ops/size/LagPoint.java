package dev.laneway.ops.size;

/**
 * The group at one moment of a trial. Immutable.
 *
 * @param seconds since any moment, the same one for all points
 * @param end the end offsets of the topics that the load comes to, added up
 * @param lag of the group, in all topics that it reads
 * @param committed all of the group's committed offsets, added up
 */
public record LagPoint(double seconds, double end, double lag, double committed) {}
