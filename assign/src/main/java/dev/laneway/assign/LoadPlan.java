package dev.laneway.assign;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;

/**
 * What {@link LoadAssignor} would do with its default settings in a group whose members all subscribe to the same
 * topics, for simulations and what-if questions. Asks no broker. Pure.
 */
public final class LoadPlan {
    private static final AssignorSettings SETTINGS = AssignorSettings.of(Map.of());

    private LoadPlan() {}

    /** The time over which the rate of a partition is taken: five minutes. */
    public static Duration window() {
        return SETTINGS.window();
    }

    /**
     * The load of a partition, in records a second.
     *
     * @param appended records that came within {@link #window}
     * @param lag records that are left to read
     */
    public static double load(long appended, long lag) {
        return SETTINGS.load(appended, lag);
    }

    /**
     * Who gets which partition when a group rebalances.
     *
     * @param loads of the partitions, at least 0
     * @param owners who has which, from 0 on; one that is not among the members leaves its partitions to others
     * @return for each partition its member
     * @throws IllegalArgumentException if there is no member, or not as many loads as owners
     */
    public static int[] plan(double[] loads, int[] owners, int members) {
        if (members < 1 || loads.length != owners.length) {
            throw new IllegalArgumentException("members are " + members + " and owners " + owners.length
                    + " but must be at least 1, and as many as loads, " + loads.length + ": give both of one group");
        }
        double[] capacities = new double[members];
        Arrays.fill(capacities, 1);
        int[] present = Arrays.stream(owners)
                .map(owner -> owner < 0 || owner >= members ? LoadBalance.NOBODY : owner)
                .toArray();
        return LoadBalance.plan(
                Loads.withLeast(loads),
                capacities,
                present,
                (_, _) -> true,
                SETTINGS.tolerance(),
                SETTINGS.mostMoves());
    }
}
