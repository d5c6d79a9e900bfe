package dev.laneway.engine.sim;

import dev.laneway.engine.MemberCore;
import dev.laneway.engine.track.Lane;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;

/** Says what a member has yet to do. */
final class SimDescription {
    private SimDescription() {}

    static String of(SimProcess process) {
        return of(process.name, process.parts.core());
    }

    /** What is left to do, for the explanation of a run that gets to no end. */
    static String of(String name, MemberCore member) {
        StringBuilder text = new StringBuilder(name + " " + member.lifecycle().state() + ", "
                + member.scheduler().running() + " permits");
        for (Partition partition : member.assignment().all()) {
            text.append("\n    ")
                    .append(partition.id)
                    .append(" position ")
                    .append(partition.position)
                    .append(" committed ")
                    .append(partition.committed)
                    .append(" held ")
                    .append(partition.held.ledger.records())
                    .append(" busy ")
                    .append(partition.held.busy())
                    .append(partition.pauseReason == null ? "" : " paused: " + partition.pauseReason)
                    .append(partition.pausedByUser ? " paused by the user" : "");
            if (partition.track != null) {
                append(text, partition.track);
            }
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Track track) {
        text.append(" claimable ")
                .append(track.isClaimable())
                .append(" running ")
                .append(track.runningOffset());
        for (Lane lane : track.lanes.table()) {
            text.append(", ").append(lane);
        }
    }
}
