package dev.laneway.engine.track;

/** What the owner does about records of a track whose time has not come, see {@link dev.laneway.NotBefore}. */
public final class DelayedRecords {
    private DelayedRecords() {}

    /** Starts those whose time has come; returns the next time, {@link Long#MAX_VALUE} for none. */
    public static long start(Track track, long nowMillis) {
        Delays<Lane> delays = track.lanes.delays;
        if (delays.next() <= nowMillis) {
            try (var _ = track.guard.enter()) {
                boolean cursorGoesOn = delays.start(nowMillis, lane -> {
                    lane.isDelayed = false;
                    track.lanes.wake(lane);
                });
                if (cursorGoesOn) {
                    track.lanes.gate.delay(false);
                }
                track.lanes.workArrived();
            }
        }
        return delays.next();
    }

    /** The next attempt of a waiting lane is due then. */
    public static void retriesAt(Lane lane, long millis) {
        try (var _ = lane.track.guard.enter()) {
            if (lane.state == Lane.State.WAITING) {
                lane.waitsUntil(millis);
            }
        }
    }

    /** Until when all of the partition waits, in milliseconds since 1970; 0 where it does not. */
    public static long partitionWaitsUntil(Track track) {
        return track.lanes.delays.partitionWaitsUntil();
    }

    /** Whether some wait for their time, in the log alone or not. */
    public static boolean areSome(Track track) {
        return track.lanes.delays.next() < Delays.NEVER;
    }

    /** Whether nothing of what is held can be done before its time has come. */
    public static boolean areAll(Track track) {
        try (var _ = track.guard.enter()) {
            TrackLanes lanes = track.lanes;
            return lanes.delays.next() < Delays.NEVER
                    && track.busy() == 0
                    && lanes.table().size() == lanes.delays.lanes()
                    && (!lanes.gate.isOpen() || track.chunks.head() == null);
        }
    }
}
