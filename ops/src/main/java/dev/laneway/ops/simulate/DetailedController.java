package dev.laneway.ops.simulate;

import org.jspecify.annotations.Nullable;

/**
 * Decides after each tick how large the group is, with a look at single members and partitions, and may say who gets
 * which partition. Called in order, by the thread that runs the simulation.
 */
@FunctionalInterface
public interface DetailedController {
    /** What the group shall have from now on; the same as it has for no change. */
    Controller.Decision decide(Tick tick, GroupDetail detail);

    /**
     * Who gets which partition when members have joined or left; null if each gets as many as the others, by as few
     * moves as can be. Numbers of members that are too large are taken modulo the number of members.
     */
    default int @Nullable [] owners(int members) {
        return null;
    }

    /** Whether partitions shall change hands now though the members stay; asked after each decision. */
    default boolean isReassigning() {
        return false;
    }
}
