package dev.laneway.ops.plan;

/**
 * One mode's way to carry a load. Immutable.
 *
 * @param partitions how many it needs, or is given
 * @param members how many it needs, or is given
 * @param little the rate of these by Little's law
 * @param real the rate of these with the reserve, the hottest key, disks and network
 */
public record ModePlan(Mode mode, int partitions, int members, Capacity little, Capacity real) {}
