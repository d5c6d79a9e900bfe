package dev.laneway.engine.sim;

import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Partition;
import dev.laneway.testkit.sim.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What must hold at each call of a handler, each commit, each poll and each turn, whatever happens. The first breach is
 * kept for the driver: what is thrown inside the engine would be taken for a handler's failure.
 */
final class SimCheck extends SimVerdict {
    private static final int MOST_TURNS_PER_INSTANT = 2_000;

    private final SimPlan plan;
    private final List<TopicPartition> partitions;
    private final SimLogs logs;
    /** Attempts that run, by lane, all processes together. */
    private final Map<String, List<SimAttempt>> running = new HashMap<>();
    /** The records that are done, by anybody. */
    private final Set<SimLogs.Written> done = new HashSet<>();

    private final Map<TopicPartition, Long> stored = new HashMap<>();
    /** Below these offsets the user has skipped. */
    private final Map<TopicPartition, Long> skipped = new HashMap<>();
    /** At-most-once: from which offset on a partition was given up that had been committed further. */
    private final Map<TopicPartition, Long> givenUp = new HashMap<>();
    /** The latest attempt at each record, by anybody. */
    private final Map<SimLogs.Written, SimAttempt> begun = new HashMap<>();

    /** Which records the maps of commits are about, where others may have their offsets later. */
    private final Map<TopicPartition, Map<Progress, Map<Long, SimLogs.Written>>> meant = new HashMap<>();
    /** What members had confirmed when their logs were cut: what was on its way then may be repeated. */
    private final Map<TopicPartition, Long> confirmedAtCuts = new HashMap<>();

    private long mostLost;

    /** @param partitions those that exist; others add to them and take from them */
    SimCheck(Simulation sim, SimPlan plan, List<TopicPartition> partitions, SimLogs logs) {
        super(sim);
        this.logs = logs;
        this.plan = plan;
        this.partitions = partitions;
    }

    // ---------------------------------------------------------------- handlers

    /** A handler is called for one record, or for one of a batch's. */
    SimAttempt begins(SimProcess process, ConsumerRecord<byte[], byte[]> record, @Nullable SimCall call) {
        TopicPartition id = new TopicPartition(record.topic(), record.partition());
        long now = now();
        long offset = record.offset();
        String name = process + " begins " + id + "@" + offset;
        SimEpoch epoch = process.epoch(id);
        if (epoch == null) {
            breach("B35 " + name + " of a partition that it does not have");
            throw new IllegalStateException(name);
        }
        breach(process.whyNothingMayBegin(id), name);
        breach(process.mayBeginAt(id, offset), name);
        if (plan.notBefore(record) > sim.clock().millis()) {
            breach("B138 " + name + " before its time, " + plan.notBefore(record));
        }
        breach(epoch.mayBegin(offset, call, now), name);
        if (Thread.currentThread().isInterrupted()) {
            breach("B47 " + name + " with an interrupt that was meant for another");
        }
        SimAttempt attempt = epoch.begins(offset, call, now);
        List<SimAttempt> others = running.computeIfAbsent(attempt.lane, lane -> new ArrayList<>());
        others.removeIf(other -> !other.isRunning(now) || other.epoch.owner.isDead());
        for (SimAttempt other : others) {
            // A member that was thrown out does not know it yet.
            boolean counts = plan.theme.isPeaceful() || other.epoch.owner.equals(process);
            if (counts && (call == null || !call.equals(other.call))) {
                breach("B18 " + name + " while " + other + " runs in lane " + attempt.lane);
            }
        }
        others.add(attempt);
        begunElsewhere(name, attempt, begun.put(attempt.record, attempt));
        sim.trace().event("begin", process.name, id, offset, attempt.number);
        process.progressed(id);
        checkHeld(process);
        return attempt;
    }

    private void begunElsewhere(String name, SimAttempt attempt, @Nullable SimAttempt before) {
        if (plan.theme.isPeaceful()
                && before != null
                && isOther(before, attempt)
                && before.isDone(now())
                && before.epoch.owner.hasCommitted()) {
            breach("B34 " + name + " although it is done: " + before);
        }
        if (plan.isAhead() && before != null && isOther(before, attempt)) {
            // What waits for another attempt when its partition is given up in peace goes on elsewhere.
            boolean given = givenUp.getOrDefault(attempt.epoch.id, Long.MAX_VALUE) <= attempt.offset;
            if (!given || !before.mayBeRetried(now())) {
                breach("B17 " + name + " although it was begun before: " + before);
            }
        }
    }

    private static boolean isOther(SimAttempt before, SimAttempt attempt) {
        return !before.epoch.equals(attempt.epoch);
    }

    void ends(SimAttempt attempt, SimEnd end) {
        if (attempt.ends(end, now())) {
            sim.trace().event("end", attempt.epoch.owner.name, attempt.epoch.id, attempt.offset, end.kind());
        }
        if (attempt.stops(now()) && !attempt.epoch.isOver()) {
            attempt.epoch.owner.mayFail();
        }
        noteDone(attempt);
    }

    void noteDone(SimAttempt attempt) {
        boolean counts = !attempt.epoch.isOver() && attempt.equals(attempt.epoch.latest(attempt.offset));
        if (counts && attempt.mayBeDone(now())) {
            done.add(attempt.record);
        }
    }

    private boolean isBegun(SimLogs.Written record) {
        return begun.containsKey(record);
    }

    /** At most this many records more may be lost. */
    void mayLose(int records) {
        mostLost += records;
    }

    /** After everything: each record that is still in the log was done, or skipped by the user. */
    void nothingIsMissing() {
        List<SimLogs.Written> missing = whatIsMissing();
        if (plan.isAhead() && missing.size() > mostLost) {
            breach("B17 " + missing.size() + " records were lost, " + mostLost + " may be");
        } else if (!plan.isAhead()) {
            missing.forEach(record -> breach("B4 " + record + " was never done"));
        }
    }

    /** The records that are to be done, and are not. */
    List<SimLogs.Written> whatIsMissing() {
        List<SimLogs.Written> missing = new ArrayList<>();
        for (TopicPartition id : partitions) {
            for (ConsumerRecord<byte[], byte[]> record : sim.broker().records(id)) {
                SimLogs.Written written = SimLogs.Written.of(id, record);
                boolean isSafe = plan.isAhead() ? isBegun(written) : done.contains(written) || isGivenUp(written);
                if (!isSafe && isWanted(id, record.offset())) {
                    missing.add(written);
                }
            }
        }
        return missing;
    }

    /** Whether the record is not one that the group, or its user, has skipped. */
    boolean isWanted(TopicPartition id, long offset) {
        return offset >= skipped.getOrDefault(id, 0L) && !logs.mayBeTakenForAFormerOne(id, offset);
    }

    /** Whether the attempt limit may have ended the record's last attempt, of which its stage tells nothing. */
    private boolean isGivenUp(SimLogs.Written record) {
        SimAttempt last = begun.get(record);
        return last != null && last.mayBeDone(now());
    }

    // ---------------------------------------------------------------- the owner

    void polled(SimProcess process, TopicPartition id, List<ConsumerRecord<byte[], byte[]>> records) {
        SimEpoch epoch = process.epoch(id);
        if (epoch == null) {
            breach("B35 " + process + " polled " + id + ", which it does not have");
            return;
        }
        sim.trace().event("poll", process.name, id, records.getFirst().offset(), records.size());
        if (process.goesBack(epoch, records)) {
            return;
        }
        breach(epoch.delivered(records), process);
        breach(epoch.noteLimit(), process);
    }

    void commits(SimProcess process, Map<TopicPartition, OffsetAndMetadata> offsets) {
        // A transaction is written later than it is put together.
        boolean complete = process.isNewCommit(offsets) && process.handlers.endAtOnce() && !plan.isExactlyOnce();
        offsets.forEach((id, offset) -> {
            String name = process + " commits " + offset.offset() + " '" + offset.metadata() + "' of " + id;
            SimEpoch epoch = process.epoch(id);
            if (plan.isExactlyOnce() && (epoch == null || process.isBehind())) {
                // By the time that a transaction is written its partition may be of another assignment.
                sim.trace().event("late", process.name, id);
            } else if (epoch == null && process.mayStart(id, offset)) {
                sim.trace().event("start-commit", process.name, id, offset.offset());
            } else if (epoch == null || process.isLosing(id)) {
                breach("B35 " + name + ", which it does not have");
            } else {
                breach(epoch.committing(offset, complete ? process.knownNanos(now()) : SimProcess.NEVER, now()), name);
            }
        });
    }

    void means(TopicPartition id, Progress progress, Map<Long, SimLogs.Written> records) {
        meant.computeIfAbsent(id, none -> new HashMap<>()).put(progress, records);
    }

    Map<Long, SimLogs.Written> meant(TopicPartition id, Progress progress) {
        return meant.getOrDefault(id, Map.of()).getOrDefault(progress, Map.of());
    }

    /** A member goes back to what it knows to be committed, or less. */
    void goesBack(TopicPartition id, long offset) {
        confirmedAtCuts.merge(id, offset, Math::min);
    }

    private boolean mayGoBack(TopicPartition id, long offset) {
        return logs.mayBeReadAgain(id, offset) || offset >= confirmedAtCuts.getOrDefault(id, Long.MAX_VALUE);
    }

    /** The broker has stored an offset. */
    void stored(TopicPartition id, OffsetAndMetadata offset) {
        Long before = stored.put(id, offset.offset());
        if (before != null && before > offset.offset() && plan.isAhead()) {
            givenUp.put(id, offset.offset()); // How far it got of what it had committed before.
        } else if (before != null && before > offset.offset() && !mayGoBack(id, offset.offset())) {
            breach("B14 the committed offset of " + id + " goes back from " + before + " to " + offset.offset());
        }
    }

    /** An administrator has set the offset of the group, which has no members. */
    void resets(TopicPartition id, long offset) {
        stored.put(id, offset);
        skipped.put(id, offset);
    }

    /** A topic is gone, and what the group has committed of it. */
    void deleted(String topic) {
        stored.keySet().removeIf(id -> id.topic().equals(topic));
    }

    /** The group begins a partition here. */
    void startsAt(TopicPartition id, long offset) {
        skipped.put(id, offset);
    }

    /** The user goes on at another offset. */
    void sought(TopicPartition id, long offset) {
        stored.remove(id);
        skipped.merge(id, offset, Math::max);
    }

    /** After each turn of an owner. */
    void turned(SimProcess process) {
        if (process.owner.turnsNow(now()) > MOST_TURNS_PER_INSTANT) {
            breach("B30 " + process + " spins: " + MOST_TURNS_PER_INSTANT + " turns while no time passes");
        }
        process.holds(checkHeld(process));
    }

    /** Returns the bytes that it holds. */
    private long checkHeld(SimProcess process) {
        long records = 0;
        long bytes = 0;
        long waiting = 0;
        for (Partition partition : process.parts.core().assignment().all()) {
            records += partition.track.ledger.records();
            bytes += partition.track.ledger.bytes();
            waiting += partition.track.ledger.allRecords() - partition.track.ledger.records();
            waiting += partition.watch.spilledRecords();
        }
        long mostRecords = Math.max(plan.bufferRecords, plan.maxPollRecords);
        if (records > mostRecords) {
            breach("B25 " + process + " holds " + records + " records, more than " + mostRecords);
        }
        // One of any size passes where nothing else is held, but for what is kept of those that wait.
        long mostBytes = process.mostBytes() + (records <= 1 && waiting > 0 ? process.largestRecordBytes() : 0);
        // Outputs that wait for their transaction count too, and nobody knows them before.
        if (bytes > mostBytes && !plan.isExactlyOnce()) {
            breach("B25 " + process + " holds " + bytes + " bytes, more than " + mostBytes);
        }
        return bytes;
    }
}
