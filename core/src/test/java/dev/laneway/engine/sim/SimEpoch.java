package dev.laneway.engine.sim;

import dev.laneway.NullKeys;
import dev.laneway.Ordering;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** One assignment of one partition: what was delivered to it, in which lanes, and what became of it. */
final class SimEpoch {
    final SimProcess owner;
    final TopicPartition id;
    final Track track;
    private final SimPlan plan;
    private final SimLogs logs;
    private final SimCheck check;
    /** What an earlier owner had done beyond the start, by the commit that the assignment started from. */
    final DecodedMetadata.@Nullable Map restored;

    /** The records that the earlier owner had done, where others may have their offsets since. */
    private final Map<Long, SimLogs.Written> meant;

    private final Map<Long, SimAttempt> latest = new HashMap<>();
    /** The lane of each delivered record that is to be handled. */
    private final Map<Long, String> lanes = new HashMap<>();

    private final Map<Long, SimLogs.Written> delivered = new HashMap<>();
    private final Map<String, TreeSet<Long>> offsets = new HashMap<>();
    private final SimMap maps;
    private final Map<String, Long> furthestBegun = new HashMap<>();
    private final TreeSet<Long> undone = new TreeSet<>();
    /** The leader epoch of the records from an offset on. */
    private final TreeMap<Long, Integer> leaderEpochs = new TreeMap<>();
    /** Where polls have got to. */
    long position;
    /** Whether its member was told that its topic is gone. */
    boolean isOfDeletedTopic;
    /** The offset of the latest commit that was sent. */
    long sent;

    /** The most characters of metadata that the member believes the broker to take. */
    private int limit;
    /** It learned so only once this much was fetched, or done by an earlier owner. */
    private long beforeLimit;

    SimEpoch(SimProcess owner, Partition partition, SimPlan plan, SimLogs logs, SimCheck check) {
        this.owner = owner;
        this.logs = logs;
        this.check = check;
        this.id = partition.id;
        this.track = partition.track;
        this.plan = plan;
        this.position = partition.start;
        this.sent = partition.start;
        Progress start = partition.committed;
        DecodedMetadata.Map told = start != null
                        && OffsetMap.decode(id, start.offset(), start.metadata()) instanceof DecodedMetadata.Map map
                ? map
                : null;
        // Of a map of a log that was cut since, the engine believes what it can still be about.
        this.restored = told != null && told.cursor() > logs.lowestCut(id) ? track.restored : told;
        this.meant = start == null ? Map.of() : check.meant(id, start);
        if (learnsLimit(owner.parts.commits().metadataLimit())) {
            beforeLimit = restored == null ? 0 : restored.cursor();
        }
        this.maps = new SimMap(
                plan,
                () -> owner.world.sim.broker().exists(id)
                        ? owner.world.sim.broker().records(id)
                        : List.of());
        logs.begun(this, start);
        if (restored != null && !restored.keys().isEmpty()) {
            owner.world.sim.broker().records(id).stream()
                    .filter(record -> maps.isListed(restored, record.offset()))
                    .forEach(this::isToBeHandled);
        }
    }

    boolean isOver() {
        return track.lanes.isDropped();
    }

    /** A poll has returned these records; an explanation if it should not have. */
    @Nullable
    String delivered(List<ConsumerRecord<byte[], byte[]>> records) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            long offset = record.offset();
            if (offset < position) {
                return "B29 " + this + "@" + offset + " was fetched again: the position was " + position;
            }
            position = offset + 1;
            noteLeader(offset, record.leaderEpoch().orElse(-1));
            maps.know(record);
            SimLogs.Written written = SimLogs.Written.of(id, record);
            boolean isOther = logs.mayBeReadAgain(id, offset) && !written.equals(meant.get(offset));
            if (!maps.isDone(restored, offset) || isOther) {
                isToBeHandled(record);
            } else {
                delivered.put(offset, written);
            }
        }
        return null;
    }

    /** Whether a commit was refused for its metadata since this was asked last. */
    private boolean learnsLimit(int known) {
        boolean isNew = known != (limit == 0 ? OffsetMap.DEFAULT_LIMIT : limit);
        limit = known;
        return isNew;
    }

    /** The metadata that was taken before anybody knew how little fits may be cut. */
    @Nullable
    String noteLimit() {
        if (learnsLimit(owner.parts.commits().metadataLimit())) {
            beforeLimit = Math.max(position, restored == null ? 0 : restored.cursor());
        }
        return limit < OffsetMap.DEFAULT_LIMIT && limit * 2 <= plan.metadataLimit
                ? "B19 commits have at most " + limit + " characters of metadata, but the broker takes "
                        + plan.metadataLimit
                : null;
    }

    /** These were read again: the log may have lost some since, before anybody looked which of them are listed. */
    void readAgain(List<ConsumerRecord<byte[], byte[]>> records) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (restored != null
                    && !restored.keys().isEmpty()
                    && !lanes.containsKey(record.offset())
                    && maps.isListed(restored, record)) {
                isToBeHandled(record);
            }
        }
    }

    private void isToBeHandled(ConsumerRecord<byte[], byte[]> record) {
        String lane = lane(record);
        delivered.put(record.offset(), SimLogs.Written.of(id, record));
        lanes.put(record.offset(), lane);
        undone.add(record.offset());
        offsets.computeIfAbsent(lane, _ -> new TreeSet<>()).add(record.offset());
    }

    private String lane(ConsumerRecord<byte[], byte[]> record) {
        byte[] key = plan.laneKey(record);
        boolean keyed = plan.ordering == Ordering.KEY && (key != null || plan.nullKeys == NullKeys.ORDERED);
        return keyed
                ? id + "#" + Arrays.toString(key)
                : plan.ordering == Ordering.PARTITION ? id.toString() : id + "@" + record.offset();
    }

    /** A handler is called; an explanation if it should not have been. */
    @Nullable
    String mayBegin(long offset, @Nullable SimCall call, long nowNanos) {
        String lane = lanes.get(offset);
        if (lane == null) {
            return "B3 it was not delivered, or done by an earlier owner";
        }
        SimAttempt previous = latest.get(offset);
        if (previous != null) {
            if (previous.isRunning(nowNanos)) {
                return "B36 it runs already";
            }
            boolean mayBeVoid = previous.call != null && previous.call.mayBeVoid(previous, nowNanos);
            if (!previous.mayBeRetried(nowNanos) && !mayBeVoid) {
                return "B36 it is final: " + previous;
            }
            if (nowNanos < previous.nextNanos() && !mayBeVoid) {
                return "B42 its next attempt is due in " + (previous.nextNanos() - nowNanos) + " ns";
            }
        }
        long furthest = furthestBegun.getOrDefault(lane, -1L);
        if (furthest > offset && !beganTogether(previous, latest.get(furthest))) {
            return "B18 a later record of lane " + lane + " has begun: " + furthest;
        }
        Long ahead = offsets.get(lane).lower(offset);
        while (ahead != null && latest.get(ahead) == null && !maps.isThere(ahead)) {
            ahead = offsets.get(lane).lower(ahead); // It was gone when it was to be read again.
        }
        SimAttempt aheadLatest = ahead == null ? null : latest.get(ahead);
        if (ahead != null && aheadLatest == null) {
            return "B18 the one before it in lane " + lane + " has not begun: " + ahead;
        }
        boolean sameCall = aheadLatest != null && call != null && call.equals(aheadLatest.call);
        if (aheadLatest != null && !sameCall && !aheadLatest.mayBeFinal(nowNanos)) {
            return "B18 the one before it in lane " + lane + " is not final: " + aheadLatest;
        }
        return null;
    }

    /** Which records a map is about. */
    private Map<Long, SimLogs.Written> meant(DecodedMetadata.Map map) {
        Map<Long, SimLogs.Written> records = new HashMap<>(meant);
        records.putAll(delivered);
        records.keySet().removeIf(offset -> !maps.isDone(map, offset));
        return records;
    }

    private void noteLeader(long offset, int epoch) {
        Map.Entry<Long, Integer> before = leaderEpochs.lastEntry();
        if (before == null || before.getValue() != epoch) {
            leaderEpochs.put(offset, epoch);
        }
    }

    /** Whether a commit names no leader epoch, or an older one than that of the records that it is about. */
    private boolean isOfAnOlderLeader(OffsetAndMetadata commit) {
        Map.Entry<Long, Integer> read = leaderEpochs.lowerEntry(commit.offset());
        return read != null && commit.leaderEpoch().orElse(-1) < read.getValue();
    }

    private static boolean beganTogether(@Nullable SimAttempt one, @Nullable SimAttempt other) {
        return one != null && other != null && one.call != null && one.call.equals(other.call);
    }

    SimAttempt begins(long offset, @Nullable SimCall call, long nowNanos) {
        SimAttempt previous = latest.get(offset);
        String lane = lanes.get(offset);
        SimAttempt attempt = new SimAttempt(this, delivered.get(offset), lane, previous, call, plan, nowNanos);
        if (call != null) {
            call.add(attempt);
        }
        latest.put(offset, attempt);
        furthestBegun.put(lane, offset);
        return attempt;
    }

    /**
     * A commit is sent; an explanation if it says too much, or less than it must.
     *
     * @param knownNanos it must say what was done by then
     */
    @Nullable
    String committing(OffsetAndMetadata commit, long knownNanos, long nowNanos) {
        String tooLow = noteLimit();
        if (tooLow != null) {
            return tooLow;
        }
        Progress progress = new Progress(commit.offset(), commit.metadata());
        logs.commits(this, progress);
        if (isOfDeletedTopic) {
            return "B109 its topic is known to be deleted";
        }
        if (isOfAnOlderLeader(commit)) {
            return "B14 it does not name the leader epoch of what was read: " + leaderEpochs;
        }
        if (progress.offset() > Math.max(position, restored == null ? 0 : restored.cursor())) {
            return "B1 it is beyond what was fetched, " + position;
        }
        if (plan.isAhead()) {
            return null; // It says what was polled, not what is done.
        }
        if (progress.offset() < sent) {
            return "B14 it goes back from " + sent;
        }
        sent = progress.offset();
        DecodedMetadata.Map map =
                OffsetMap.decode(id, progress.offset(), progress.metadata()) instanceof DecodedMetadata.Map decoded
                        ? decoded
                        : null;
        if (map != null && (plan.theme == SimTheme.CUT || plan.theme == SimTheme.RECREATED)) {
            check.means(id, progress, meant(map));
        }
        if (restored != null) {
            long valid = Math.min(restored.cursor(), logs.lowestCut(id));
            for (long offset = progress.offset(); offset < valid; offset++) {
                if (maps.isDone(restored, offset) && !maps.isDone(map, offset) && !mayBeCut(progress, map, offset)) {
                    return "B3 an earlier owner has done " + offset + ", but the commit does not say so";
                }
            }
        }
        for (Iterator<Long> left = undone.iterator(); left.hasNext(); ) {
            long offset = left.next();
            boolean said = offset < progress.offset() || maps.isDone(map, offset);
            SimAttempt attempt = latest.get(offset);
            if (said && attempt == null && !maps.isThere(offset)) {
                left.remove(); // It was gone when it was to be read again.
                continue;
            }
            if (said && (attempt == null || !attempt.mayBeDone(nowNanos))) {
                return "B1 " + offset + " is not done: " + attempt;
            }
            boolean done = attempt != null && attempt.isDone(nowNanos);
            if (!said && attempt != null && attempt.wasDone(knownNanos, nowNanos) && !mayBeCut(progress, map, offset)) {
                return "B3 " + offset + " is done, but the commit does not say so";
            }
            if (said && done) {
                left.remove();
            }
        }
        return null;
    }

    /** Whether a map without room says nothing of an offset, since the user has chosen that a crash repeats it. */
    private boolean mayBeCut(Progress progress, DecodedMetadata.@Nullable Map map, long offset) {
        return (plan.mayCutMaps() || offset < beforeLimit)
                && offset >= (map == null ? progress.offset() : map.cursor());
    }

    /** The consumer reads again from an offset on; nothing of that has been handled. */
    void rewound(long offset) {
        position = offset;
        lanes.keySet().removeIf(known -> known >= offset);
        undone.tailSet(offset).clear();
        offsets.values().forEach(some -> some.tailSet(offset).clear());
    }

    /** Whether a handler is at work on one of its records. */
    boolean isRunning(long nowNanos) {
        return latest.values().stream().anyMatch(attempt -> attempt.isRunning(nowNanos));
    }

    @Nullable
    SimAttempt latest(long offset) {
        return latest.get(offset);
    }

    @Override
    public String toString() {
        return owner + " " + id + " epoch " + track.epoch;
    }
}
