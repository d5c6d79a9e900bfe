package dev.laneway.engine.track;

import dev.laneway.engine.offsets.SpilledKey;
import dev.laneway.engine.offsets.SpilledKeys;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which lanes' ends are to be spilled: the longest, as far as a commit can list their keys. Immutable.
 *
 * @param lanes the longest one first
 * @param lacksMapRoom whether a commit cannot list all that would be
 */
record SpillChoice(List<Lane> lanes, boolean lacksMapRoom) {
    /**
     * Chooses, with the track's guard.
     *
     * @param listed what commits list already
     * @param most how many records the track may hold
     * @param keep how many followers each lane keeps
     * @param mapLimit the most characters of a commit's metadata: keys are listed in a part of that
     */
    static SpillChoice of(Track track, SpilledKeys listed, long most, int keep, int mapLimit) {
        List<Lane> longest = new ArrayList<>();
        for (Lane lane : track.lanes.table()) {
            if (lane.keyed && lane.followers() > kept(lane, keep)) {
                longest.add(lane);
            }
        }
        longest.sort(Comparator.comparingInt(Lane::followers).reversed());
        int count = 0;
        for (long left = track.ledger.records(); count < longest.size() && left > most; count++) {
            Lane lane = longest.get(count);
            left -= lane.followers() - kept(lane, keep);
        }
        return of(track, listed, longest.subList(0, count), keep, mapLimit);
    }

    /** Chooses from these, the first ones first. */
    static SpillChoice of(Track track, SpilledKeys listed, List<Lane> wanted, int keep, int mapLimit) {
        int affordable = affordable(track, listed, wanted, keep, mapLimit);
        return new SpillChoice(wanted.subList(0, affordable), affordable < wanted.size());
    }

    /** How many followers of a lane are not to be spilled. */
    static int kept(Lane lane, int keep) {
        return Math.max(keep, lane.batchLeft);
    }

    /** Of how many lanes the ends can be spilled: a map has less room for a key than for a few offsets. */
    private static int affordable(Track track, SpilledKeys listed, List<Lane> longest, int keep, int mapLimit) {
        TrackLedger ledger = track.ledger;
        long most = Math.max(mapLimit / 4 * 3, ledger.worstCaseChars(track.cursorOffset(), Set.of(), listed));
        int count = longest.size();
        while (count > 0) {
            Set<Long> dropped = new HashSet<>();
            List<SpilledKey> keys = new ArrayList<>(listed.keys());
            for (Lane lane : longest.subList(0, count)) {
                List<Long> ends = lane.lastOffsets(lane.followers() - kept(lane, keep));
                dropped.addAll(ends);
                if (lane.tail == null) {
                    keys.add(new SpilledKey(keys.size(), ends.getLast())); // Any hash takes as much room.
                }
            }
            if (ledger.worstCaseChars(track.cursorOffset(), dropped, new SpilledKeys(listed.laneKey(), keys)) <= most) {
                return count;
            }
            count /= 2;
        }
        return 0;
    }
}
