package dev.laneway.engine.sim;

import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.Partition;

/** Says what a process has yet to do. */
final class SimDescription {
    private SimDescription() {}

    /** What is left to do, for the explanation of a run that gets to no end. */
    static String of(SimProcess process) {
        StringBuilder text = new StringBuilder(
                process.name + " " + process.parts.core().lifecycle().state() + ", "
                        + process.parts.core().scheduler().running() + " permits");
        for (Partition partition : process.parts.core().assignment().all()) {
            text.append("\n    ")
                    .append(partition.id)
                    .append(" position ")
                    .append(partition.position)
                    .append(" committed ")
                    .append(partition.committed)
                    .append(" held ")
                    .append(partition.track.ledger.records())
                    .append(" busy ")
                    .append(partition.track.busy())
                    .append(partition.pauseReason == null ? "" : " paused: " + partition.pauseReason)
                    .append(partition.pausedByUser ? " paused by the user" : "")
                    .append(" claimable ")
                    .append(partition.track.isClaimable())
                    .append(" running ")
                    .append(partition.track.runningOffset());
            for (Lane lane : partition.track.lanes.table()) {
                text.append(", ").append(lane);
            }
        }
        return text.toString();
    }
}
