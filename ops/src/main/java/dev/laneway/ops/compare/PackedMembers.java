package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.Controller;
import dev.laneway.ops.simulate.DetailedController;
import dev.laneway.ops.simulate.GroupDetail;
import dev.laneway.ops.simulate.Tick;
import org.jspecify.annotations.Nullable;

/**
 * As many members as partitions can be packed into, by rate and by what waits, and the assignment of that packing. A
 * partition takes of a member the larger one of its share of the rate that one may have and its share of what one may
 * have waiting to be done within the goal. Used by one thread.
 */
final class PackedMembers implements DetailedController {
    private static final double LOOK_SECONDS = 60;
    private static final double WINDOW_SECONDS = 60;
    /** The share of a member's true rate that is filled. */
    private static final double FULL = 0.9;
    /** There are fewer members only if all fits into this share. */
    private static final double FULL_FOR_FEWER = 0.7;

    private final Readings readings = new Readings(WINDOW_SECONDS);
    private double rate;
    private int @Nullable [] wanted;
    private boolean isReassigning;

    @Override
    public Controller.Decision decide(Tick tick, GroupDetail detail) {
        readings.add(tick, detail);
        isReassigning = false;
        int members = tick.requestedMembers();
        Controller.Decision same = new Controller.Decision(members, tick.concurrency());
        Readings.Rates rates = readings.over(WINDOW_SECONDS);
        if (!Clock.strikes(tick, LOOK_SECONDS) || tick.isMoving() || tick.members() != members) {
            return same;
        }
        rate = rates.trueRate() > 0 ? rates.trueRate() : rate;
        if (rate <= 0) {
            return same;
        }
        int[] owners = new int[detail.partitions()];
        for (int partition = 0; partition < owners.length; partition++) {
            owners[partition] = detail.owner(partition);
        }
        double[] sizes = sizes(rates, FULL);
        int[] packed = PartitionPacking.pack(sizes, owners);
        int needed = PartitionPacking.members(packed);
        if (needed < members) {
            packed = PartitionPacking.pack(sizes(rates, FULL_FOR_FEWER), owners);
            needed = PartitionPacking.members(packed);
        }
        if (needed != members) {
            wanted = packed;
            return new Controller.Decision(Math.min(needed, LoadCases.MOST_MEMBERS), tick.concurrency());
        }
        if (isOverfull(sizes, owners, members) && !isOverfull(sizes, packed, members)) {
            wanted = packed;
            isReassigning = true;
        }
        return same;
    }

    private double[] sizes(Readings.Rates rates, double full) {
        double[] sizes = new double[rates.partitions()];
        for (int partition = 0; partition < sizes.length; partition++) {
            sizes[partition] = Math.max(
                    rates.append(partition) / (rate * full), rates.lag(partition) / (rate * LoadCases.GOAL_SECONDS));
        }
        return sizes;
    }

    private static boolean isOverfull(double[] sizes, int[] owners, int members) {
        double[] load = new double[members];
        for (int partition = 0; partition < sizes.length; partition++) {
            load[Math.min(owners[partition], members - 1)] += sizes[partition];
        }
        for (double each : load) {
            if (each > 1) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int @Nullable [] owners(int members) {
        return wanted;
    }

    @Override
    public boolean isReassigning() {
        return isReassigning;
    }
}
