package dev.laneway.ops.simulate;

/**
 * What can be seen of single members and partitions, from the start up to now. Only valid while a controller decides;
 * used by the thread that runs the simulation.
 */
public interface GroupDetail {
    /** How many partitions there are. */
    int partitions();

    /** Which member has a partition, from 0 on. */
    int owner(int partition);

    /** Records that have come into a partition. */
    long appended(int partition);

    /** Records of a partition that are done. */
    long done(int partition);

    /** Seconds in which workers of a member have handled records; of a member that was never there 0. */
    double busySeconds(int member);
}
