package dev.laneway.engine.track;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds lanes whose record the cursor has passed some seconds ago, and that lie far behind it. The offsets of what
 * waits in them lie all over the log, and a new owner that was told each by itself would read all that lies between.
 * With the track's guard.
 */
final class FarLanes {
    /** A lane counts when its record was passed so many looks ago. */
    private static final int LOOKS = 5;

    private final Track track;
    private final long span;
    private final ArrayDeque<Long> cursors = new ArrayDeque<>();

    /** @param span so many offsets behind the cursor are far */
    FarLanes(Track track, long span) {
        this.track = track;
        this.span = span;
    }

    boolean isFar(long offset) {
        return track.cursorOffset() - offset > span;
    }

    /** Once a second: those that were not found before. */
    List<Lane> look() {
        cursors.addLast(track.cursorOffset());
        if (cursors.size() <= LOOKS) {
            return List.of();
        }
        long passed = cursors.removeFirst();
        long oldest = track.ledger.oldest();
        if (oldest < 0 || !isFar(oldest)) {
            return List.of();
        }
        List<Lane> far = new ArrayList<>();
        for (Lane lane : track.lanes.table()) {
            if (lane.keyed && lane.tail == null && lane.record.offset() < passed && lane.followers() > lane.batchLeft) {
                far.add(lane);
            }
        }
        return far;
    }
}
