package dev.laneway.dashboard;

import dev.laneway.PartitionSnapshot;
import dev.laneway.PauseReason;
import dev.laneway.dashboard.Frame.Hold;
import dev.laneway.ops.check.LanewayPace;
import dev.laneway.ops.check.Threshold;
import dev.laneway.ops.check.Thresholds;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What holds each partition of a consumer of this process back, by the figures of the verdict. Pure functions. */
final class Holds {
    private Holds() {}

    /** What holds a partition back. */
    record Held(Hold hold, String why) {}

    /** @param pace null if it is not known yet */
    static Held of(PartitionSnapshot one, @Nullable LanewayPace pace) {
        if (one.pausedByUser()) {
            return new Held(Hold.PAUSED, "pause() was called");
        }
        if (isStuck(one, pace)) {
            return new Held(
                    Hold.STUCK,
                    "offset " + one.oldestOffset().orElse(-1) + " is unfinished for " + seconds(unfinished(one)));
        }
        long waits = one.lag().orElse(0);
        if (waits == 0) {
            return new Held(Hold.NOTHING, "");
        }
        PauseReason reason = one.pauseReason().orElse(null);
        if (reason == PauseReason.DELAYED) {
            return new Held(Hold.TIME, one.delayed() + " lanes wait for the time of their record");
        }
        if (pace != null && pace.busyShare() >= Thresholds.USUAL.of(Threshold.WORKERS_SHARE)) {
            return new Held(Hold.WORKERS, "all workers are busy");
        }
        boolean behindKeys = one.spilledKeys() > 0 || one.held() > 2L * Math.max(1, one.lanes());
        if (behindKeys && one.lanes() > 0) {
            String spilled = one.spilledKeys() == 0 ? "" : ", " + one.spilledRecords() + " of them in the log";
            return new Held(
                    Hold.KEYS,
                    one.held() + " records wait behind " + one.lanes() + (one.lanes() == 1 ? " busy key" : " busy keys")
                            + spilled);
        }
        if (reason != null && isRoom(reason)) {
            return new Held(Hold.ROOM, reason.name());
        }
        return one.held() == 0 ? new Held(Hold.FETCH, "nothing is held") : new Held(Hold.NOTHING, "");
    }

    private static boolean isRoom(PauseReason reason) {
        return switch (reason) {
            case SHARE_FULL, RECORDS_FULL, BYTES_FULL, METADATA_FULL -> true;
            case USER, ENDING, CANCELLED, UNREAD, DELAYED, AT_END -> false;
        };
    }

    /** Whether its oldest record is unfinished for longer than the verdict's limit. */
    static boolean isStuck(PartitionSnapshot one, @Nullable LanewayPace pace) {
        return pace != null && pace.isStuck(unfinished(one));
    }

    /** For how many seconds the oldest record of a partition that is not paused is unfinished; 0 if there is none. */
    static double unfinished(PartitionSnapshot one) {
        return one.pausedByUser() || one.oldestOffset().isEmpty()
                ? 0
                : one.oldestAge().map(age -> age.toNanos() / 1e9).orElse(0.0);
    }

    private static String seconds(double seconds) {
        if (seconds < 0.9995) {
            return String.format(Locale.ROOT, seconds < 0.01 ? "%.1f ms" : "%.0f ms", seconds * 1e3);
        }
        return seconds < 10
                ? String.format(Locale.ROOT, "%.1f s", seconds)
                : Math.round(seconds) < 600 ? Math.round(seconds) + " s" : Math.round(seconds / 60) + " min";
    }
}
