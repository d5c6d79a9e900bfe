package dev.laneway.engine;

import dev.laneway.PauseReason;
import dev.laneway.engine.track.RefillRoom;
import dev.laneway.engine.track.Track;
import java.util.List;

/**
 * When are records behind busy keys dropped, and how many of them may be held again? Belongs to {@link FlowControl}.
 *
 * <p>Where a partition may fetch nothing, and all that it holds waits in lanes, the ends of its lanes are spilled, and
 * read again when their keys have come to them. Not at once: most keys are not busy for long, and what is dropped costs
 * a second reading. What live records leave of the budgets is for those that are read again; where that is too little,
 * now and then a turn leaves live records out, which would else take all room as it comes free.
 */
final class SpillControl {
    /** So long a partition starves before its lanes are spilled. */
    private static final long SPILL_AFTER_NANOS = 50_000_000;

    /** So long live records wait at most for somebody to take the room that they leave. */
    private static final long GOES_FIRST_NANOS = 5_000_000;

    private static final long LIST_EVERY_NANOS = 1_000_000_000;

    private final RefillRoom room;
    private boolean goesFirst;
    private long goesFirstSinceNanos;
    private boolean hasSpilled;
    private long listedNanos;

    SpillControl(RefillRoom room) {
        this.room = room;
    }

    /** Before anybody looks at what is held. */
    void beginTurn(long now) {
        boolean wasAsked = room.close();
        if (!goesFirst || wasAsked || now - goesFirstSinceNanos >= GOES_FIRST_NANOS) {
            goesFirst = !goesFirst && room.wasLacking();
            goesFirstSinceNanos = now;
        }
    }

    /** Whether live records must wait in this turn. */
    boolean goesFirst() {
        return goesFirst;
    }

    /** Grants what nothing else may take. */
    void grant(FetchBudget budget, FetchAdmission admission) {
        long poll = budget.isFull() ? 0 : budget.pollRecords();
        long bytes = budget.isRoomy() ? budget.pollBytes() : admission.admittedBytes();
        room.grant(
                budget.bufferRecords() - budget.heldRecords() - poll,
                budget.bufferBytes() - budget.heldBytes() - (budget.isFull() ? 0 : bytes),
                goesFirst && budget.heldRecords() == 0);
    }

    /** Spills where that lets a partition go on. */
    void spill(List<FetchState> all, long lowMark, MapRoom mapRoom, long now) {
        hasSpilled = false;
        listFar(all, mapRoom, now);
        for (FetchState state : all) {
            Track track = state.partition.track;
            PauseReason reason = state.decision;
            boolean waits = reason != null && isEndedBySpilling(reason) && state.heldRecords > 0;
            if (track == null || !waits || state.heldRecords != state.partition.recordsInLanes()) {
                state.starvedSinceNanos = -1;
            } else if (state.starvedSinceNanos < 0) {
                state.starvedSinceNanos = now;
            } else if (now - state.starvedSinceNanos >= SPILL_AFTER_NANOS) {
                // Bytes may be what is short, however few the records are.
                long most = Math.min(lowMark, state.heldRecords / 2);
                hasSpilled |= track.spilled.spill(most, mapRoom.forKeys()) > 0;
                if (track.spilled.lacksMapRoom()) {
                    state.decision = PauseReason.METADATA_FULL;
                    mapRoom.lacksRoomForKeys(state.partition);
                }
            }
        }
    }

    /** Lists keys whose records lie far behind, once a second. */
    private void listFar(List<FetchState> all, MapRoom mapRoom, long now) {
        if (now - listedNanos < LIST_EVERY_NANOS) {
            return;
        }
        listedNanos = now;
        for (FetchState state : all) {
            if (state.partition.track != null) {
                state.partition.track.spilled.listFar(mapRoom.forKeys());
            }
        }
    }

    /** Whether records were spilled in the latest turn: their partitions may go on. */
    boolean hasSpilled() {
        return hasSpilled;
    }

    private static boolean isEndedBySpilling(PauseReason reason) {
        return switch (reason) {
            case SHARE_FULL, RECORDS_FULL, BYTES_FULL, METADATA_FULL -> true;
            case USER, ENDING, AT_END, UNREAD, CANCELLED, DELAYED -> false;
        };
    }
}
