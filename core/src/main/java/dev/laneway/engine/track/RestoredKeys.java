package dev.laneway.engine.track;

import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.KeyHash;
import dev.laneway.engine.offsets.SpilledKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The keys that an earlier owner of a track has spilled. Its map tells only their hashes, so the first record of each
 * is looked for in the log; until all are found, the cursor does not pass what the earlier owner had read, since what
 * follows may be of such a key. Guarded by the track's guard.
 */
final class RestoredKeys {
    private final Track track;
    private final SpilledRecords spilled;
    /** Those of which no record was found. */
    private final List<SpilledKey> unknown = new ArrayList<>();
    /** All of them: from where on, by hash. Of other keys with such a hash no record is taken as done. */
    private final Map<Long, Long> listed = new HashMap<>();
    /** The keys that were found with such a hash. */
    private final Set<@Nullable Bytes> found = new HashSet<>();
    /** Where what the earlier owner has done ends. */
    private long end;
    /** Whether the cursor is below that. */
    private boolean isAhead;

    RestoredKeys(Track track, SpilledRecords spilled, DecodedMetadata.@Nullable Map restored) {
        this.track = track;
        this.spilled = spilled;
        if (restored != null) {
            isAhead = true;
            end = restored.cursor();
            unknown.addAll(restored.keys());
            unknown.forEach(key -> listed.put(key.hash(), key.from()));
        }
    }

    /** Whether the cursor has yet to pass what the earlier owner has done. */
    boolean isAhead() {
        return isAhead;
    }

    List<SpilledKey> unknown() {
        return unknown;
    }

    /** What is known of the first record of a key of which none was found. */
    static UndoneRecord oldestInLog(SpilledKey key) {
        return new UndoneRecord(key.from(), KeyHash.text(key.hash()), UndoneRecord.UNKNOWN);
    }

    boolean lists(long hash) {
        return listed.containsKey(hash);
    }

    /** The cursor has come to this offset. False where it must not pass it yet. */
    boolean mayPass(long offset) {
        if (!isAhead || offset < end) {
            return true;
        }
        if (!unknown.isEmpty()) {
            track.lanes.hold(true);
            return false;
        }
        isAhead = false;
        spilled.restoredHasEnded();
        return true;
    }

    /** From this offset on, what the earlier owner has done counts no more. */
    void endsAt(long offset) {
        end = Math.min(end, offset);
        if (unknown.removeIf(key -> key.from() >= offset)) {
            goOn();
        }
    }

    /**
     * Looks for keys, and for nothing else: what the earlier owner had started comes first, and the cursor has not met
     * all of that. Whether all are found.
     */
    boolean find(long from, List<ConsumerRecord<byte[], byte[]>> records, long to) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            recognise(record);
        }
        for (SpilledKey key : List.copyOf(unknown)) {
            if (from <= key.from() && key.from() < to) {
                unknown.remove(key);
                if (to < end) {
                    unknown.add(new SpilledKey(key.hash(), to)); // No record before that is of the key.
                }
            }
        }
        goOn();
        return unknown.isEmpty();
    }

    /** The lane of a record whose key is found by it; null if its key is not listed, or was found before. */
    @Nullable
    Lane recognise(ConsumerRecord<byte[], byte[]> record) {
        if (record.offset() >= end || !track.lanes.table().isKeyed(record)) {
            return null;
        }
        byte[] laneKey = HeldRecord.laneKey(record);
        long hash = KeyHash.of(laneKey);
        Long from = listed.get(hash);
        if (from == null || record.offset() < from || !found.add(Bytes.wrap(laneKey))) {
            return null;
        }
        unknown.removeIf(key -> key.hash() == hash);
        track.takeCursor(); // Its runner may be at a record of the key, and must not go on without a look at lanes.
        track.lanes.workArrived();
        return spilled.listAgain(record, hash);
    }

    private void goOn() {
        if (unknown.isEmpty() && isAhead) {
            track.lanes.hold(false);
            mayPass(track.cursorOffset());
        }
    }
}
