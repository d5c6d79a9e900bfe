package dev.laneway.engine;

import dev.laneway.Health;
import dev.laneway.WhenMapIsFull;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Whether the metadata of a partition's commit has room for what a further poll may add to it, and what health says
 * where it has not. The owner only.
 */
final class MapRoom {
    /** The fewest characters of metadata that hold a map worth guarding: some ten runs. */
    private static final int LEAST_MAP = 32;

    /** How often health is told again, and how often one that stops nothing is looked at. */
    private static final long INTERVAL_NANOS = 1_000_000_000;
    /** It ends unseen, with its partition. */
    private static final Duration TOLD = Duration.ofSeconds(5);

    private final IntSupplier limit;
    private final WhenMapIsFull policy;
    private final String otherChoice;
    private final HealthConditions conditions;
    private final int maxPollRecords;
    /** The most characters that the records of one poll can take. */
    private final int pollsWorstMap;

    // Of this turn.
    private int chars;
    private int more;
    private boolean isDue;

    private long lookedAtNanos;
    private boolean hasLooked;

    /**
     * @param limit the most characters that the brokers are known to take as a commit's metadata; 0 for no map
     * @param mayRepeat whether {@link WhenMapIsFull#REPEAT_AFTER_CRASH} is a choice
     */
    MapRoom(
            IntSupplier limit,
            int maxPollRecords,
            WhenMapIsFull policy,
            boolean mayRepeat,
            HealthConditions conditions) {
        this.limit = limit;
        this.policy = policy;
        this.otherChoice = mayRepeat ? ", or set whenMapIsFull(REPEAT_AFTER_CRASH)" : "";
        this.conditions = conditions;
        this.maxPollRecords = maxPollRecords;
        this.pollsWorstMap = OffsetMap.worstCaseChars(maxPollRecords);
    }

    /** Before anything else in a turn. */
    void beginTurn(long now) {
        chars = limit.getAsInt();
        // What a poll may add counts, unless the brokers allow so little that a poll alone could pass it: then what is
        // held does, and a map may be cut.
        more = pollsWorstMap <= chars / 4 * 3 ? maxPollRecords : 0;
        isDue = !hasLooked || now - lookedAtNanos >= INTERVAL_NANOS;
        if (isDue) {
            lookedAtNanos = now;
            hasLooked = true;
        }
    }

    /** The most characters that spilled keys may take a part of. */
    int forKeys() {
        return policy == WhenMapIsFull.STOP_INTAKE ? chars : Integer.MAX_VALUE;
    }

    /** Whether a partition must fetch nothing because of its map. */
    boolean stops(Partition partition) {
        boolean mayStop = policy == WhenMapIsFull.STOP_INTAKE;
        if (chars < LEAST_MAP || (!mayStop && !isDue)) {
            return false; // For a map that says next to nothing no intake stops.
        }
        boolean isFull = partition.held.mapIsNearLimit(more, chars);
        if (isDue) {
            tell(partition, isFull);
        }
        return isFull && mayStop;
    }

    /** Whether health is told anew in this turn: also that a partition that may fetch has room again. */
    boolean isDue() {
        return isDue;
    }

    /** There was no room to list more keys of a partition, whose lanes hold all that it may. */
    void lacksRoomForKeys(Partition partition) {
        if (isDue) {
            tell(partition, true);
        }
    }

    private void tell(Partition partition, boolean isFull) {
        HealthConditions.Subject subject = new HealthConditions.Subject(Health.Cause.STUCK_KEY, "map", partition.id);
        if (!isFull) {
            conditions.end(subject);
            return;
        }
        List<String> keys = partition.watch.keysInLog();
        String filled = " the metadata of its commit (" + chars + " characters) has no room for more of what is done"
                + " beyond offset " + partition.watch.oldestStarted()
                + (keys.isEmpty()
                        ? ""
                        : ", beside keys with records in the log, by hash " + HealthConditions.few(keys));
        conditions.begin(
                subject,
                Health.Status.DEGRADED,
                policy == WhenMapIsFull.STOP_INTAKE
                        ? partition.id + " fetches nothing:" + filled + ". " + partition.watch.remedy() + otherChoice
                        : "a crash now would repeat done records of " + partition.id + ":" + filled + ". "
                                + partition.watch.remedy(),
                TOLD);
    }
}
