package dev.laneway.engine;

import dev.laneway.Health;
import dev.laneway.PauseReason;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.track.DelayedRecords;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.RefillRoom;
import dev.laneway.engine.track.Track;
import java.time.Duration;
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

    /** So often lanes and what waits are looked at for what only takes time to notice. */
    private static final long LOOK_EVERY_NANOS = 1_000_000_000;

    /** How long it is told that a partition is full of what waits, without another look. */
    private static final Duration TOLD = Duration.ofSeconds(5);

    private final RefillRoom room;
    private final HealthConditions conditions;
    private boolean goesFirst;
    private long goesFirstSinceNanos;
    private boolean hasSpilled;
    private boolean hasLooked;
    private long lookedNanos;

    SpillControl(RefillRoom room, HealthConditions conditions) {
        this.room = room;
        this.conditions = conditions;
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

    /**
     * Grants what nothing else may take. No partition reads up to its high mark: it would be paused there and spilled
     * again, so that what it has just read would be read once more.
     */
    void grant(FetchBudget budget, FetchAdmission admission) {
        long poll = budget.isFull() ? 0 : budget.pollRecords();
        long bytes = budget.isRoomy() ? budget.pollBytes() : admission.admittedBytes();
        room.grant(
                budget.bufferRecords() - budget.heldRecords() - poll,
                budget.bufferBytes() - budget.heldBytes() - (budget.isFull() ? 0 : bytes),
                Math.max(1, budget.highMark() - 1),
                goesFirst && budget.heldRecords() == 0);
    }

    /** Spills where that lets a partition go on, this one or another. */
    void spill(List<FetchState> all, FetchAdmission admission, MapRoom mapRoom, long now) {
        hasSpilled = false;
        if (!hasLooked || now - lookedNanos >= LOOK_EVERY_NANOS) {
            hasLooked = true;
            lookedNanos = now;
            listFar(all, mapRoom);
        }
        for (int i = 0; i < all.size(); i++) {
            FetchState state = all.get(i);
            Track track = state.partition.track;
            PauseReason reason = state.decision;
            boolean waits = reason != null && isEndedBySpilling(reason);
            boolean keepsRoom = !state.isWanted && admission.wantedBytes() > 0;
            if (track == null || !(waits || keepsRoom) || state.heldRecords != state.partition.recordsInLanes()) {
                state.starvedSinceNanos = -1;
            } else if (state.starvedSinceNanos < 0) {
                state.starvedSinceNanos = now;
                state.spillAtNanos = now + SPILL_AFTER_NANOS;
                state.toldAtNanos = now;
            } else if (now - state.starvedSinceNanos >= SPILL_AFTER_NANOS) {
                if (now - state.spillAtNanos >= 0) {
                    hasSpilled |= spill(state, track, admission.lowMark(), mapRoom, now);
                }
                if (track.spilled.lacksMapRoom()) {
                    mapRoom.lacksRoomForKeys(state.partition);
                    state.lacksMapRoom = true;
                    state.lacksMapRoomUntilNanos = now + TOLD.toNanos();
                }
            }
            nameFullMap(state, waits, mapRoom, now);
        }
    }

    /**
     * A partition without room in its map may read a few records now and then, and waits again: all the while its
     * reason is the one that health tells.
     */
    private static void nameFullMap(FetchState state, boolean waits, MapRoom mapRoom, long now) {
        if (!state.lacksMapRoom) {
            return;
        }
        if (waits) {
            state.lacksMapRoom = now - state.lacksMapRoomUntilNanos < 0;
        } else if (state.decision == null) {
            state.lacksMapRoom = !mapRoom.isDue();
        }
        if (waits && state.lacksMapRoom) {
            state.decision = PauseReason.METADATA_FULL;
        }
    }

    private boolean spill(FetchState state, Track track, long lowMark, MapRoom mapRoom, long now) {
        // Bytes may be what is short, however few the records are.
        long most = Math.min(lowMark, state.heldRecords / 2);
        if (track.spilled.spill(most, mapRoom.forKeys()) > 0) {
            return true;
        }
        state.spillAtNanos = now + SPILL_AFTER_NANOS; // Not in each turn: it looks at each lane.
        if (now - state.toldAtNanos >= LOOK_EVERY_NANOS) {
            state.toldAtNanos = now;
            tellOfDelays(state.partition, track);
        }
        return false;
    }

    /** Where nothing can be spilled, and nothing started, those who wait for their time keep others from being read. */
    private void tellOfDelays(Partition partition, Track track) {
        if (DelayedRecords.partitionWaitsUntil(track) == 0 && DelayedRecords.areAll(track)) {
            conditions.begin(
                    new HealthConditions.Subject(Health.Cause.BUFFER_FULL, "delayed", partition.id),
                    Health.Status.DEGRADED,
                    partition.id + " fetches nothing: " + partition.watch.delayed()
                            + " records wait for their time, and bufferBytes has no room for more. What lies behind"
                            + " them may be handled late: raise bufferBytes",
                    TOLD);
        }
    }

    /** Lists keys whose records lie far behind. */
    private static void listFar(List<FetchState> all, MapRoom mapRoom) {
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
