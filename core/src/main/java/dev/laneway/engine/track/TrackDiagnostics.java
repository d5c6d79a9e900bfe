package dev.laneway.engine.track;

import dev.laneway.AttemptTimeoutException;
import dev.laneway.engine.offsets.KeyHash;
import dev.laneway.engine.offsets.SpilledKey;
import dev.laneway.engine.runtime.Host;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the owner finds out about a track from time to time, so that workers need not tell it for each record: which
 * attempts are over their limit, which record has been unfinished for long and who is at work on it, how many workers
 * wait. The owner only, but for what retention may take.
 */
public final class TrackDiagnostics extends PartitionDiagnostics {
    private static final int SAMPLE = 64;
    private static final int FEW = 5;
    private static final int STACK_CHARS = 1_000;

    private final Track track;
    private final Host host;
    private long seenRunning = -1;
    private long seenRunningNanos;
    /** Those of the track's busy lanes that have been seen at work. */
    private Map<Lane, Seen> seen = Map.of();

    /** The run of a handler that was under way at the latest look, and since when it was seen. Immutable. */
    private record Seen(int ticket, long sinceNanos) {}

    public TrackDiagnostics(Track track, Host host) {
        this.track = track;
        this.host = host;
    }

    /**
     * Ends attempts that have run for longer than the limit: a worker is interrupted, an asynchronous handler's stage
     * is cancelled. An attempt counts from when it was first seen here.
     */
    @Override
    public void expire(long nowNanos, Duration limit) {
        try (var _ = track.guard.enter()) {
            Map<Lane, Seen> now = new HashMap<>();
            Lane overdue = expireRunner(nowNanos, limit);
            for (Lane lane : track.lanes.table()) {
                Seen before = lane == overdue ? new Seen(lane.ticket, seenRunningNanos) : seen.get(lane);
                boolean works = lane.state == Lane.State.RUNNING || lane.state == Lane.State.PENDING;
                if (works && !lane.timedOut) {
                    if (before == null || before.ticket != lane.ticket) {
                        before = new Seen(lane.ticket, nowNanos);
                    } else if (nowNanos - before.sinceNanos >= limit.toNanos()) {
                        track.lanes.expire(lane, new AttemptTimeoutException(lane.toString(), limit));
                    }
                }
                if (before != null) {
                    now.put(lane, before);
                }
            }
            seen = now;
        }
    }

    /** Gives the runner's record a lane when it is over the limit; null when it is not, or has just ended. */
    private @Nullable Lane expireRunner(long nowNanos, Duration limit) {
        long running = track.runningOffset();
        if (running < 0 || running != seenRunning) {
            seenRunning = running;
            seenRunningNanos = nowNanos;
        } else if (nowNanos - seenRunningNanos >= limit.toNanos()) {
            Lane taken = track.takeCursor();
            return taken != null && taken.record.offset() == running ? taken : null;
        }
        return null;
    }

    /** Looks at the runner and at some lanes. */
    @Override
    public Sample sample() {
        try (var _ = track.guard.enter()) {
            Thread running = track.runnerThread();
            int workers = running == null ? 0 : 1;
            int waiting = running != null && host.isWaiting(running) ? 1 : 0;
            for (Lane lane : track.lanes.table()) {
                if (workers >= SAMPLE) {
                    break;
                }
                Thread thread = lane.worker;
                if (lane.state == Lane.State.PENDING) {
                    workers++;
                    waiting++;
                } else if (thread != null) {
                    workers++;
                    waiting += host.isWaiting(thread) ? 1 : 0;
                }
            }
            return new Sample(workers, waiting);
        }
    }

    /**
     * The lowest offset that was started, or waits in the log, and is not done; -1 when there is none. But for records
     * that wait for their time, or behind one that does.
     */
    @Override
    public long oldestStarted() {
        try (var _ = track.guard.enter()) {
            long oldest = track.ledger.oldest(delayedOffsets());
            SpilledKey spilled = track.spilled.oldestKey();
            if (spilled != null && (oldest < 0 || spilled.from() < oldest)) {
                oldest = spilled.from();
            }
            return oldest >= 0 ? oldest : track.runningOffset();
        }
    }

    private Set<Long> delayedOffsets() {
        if (track.lanes.delays.lanes() == 0) {
            return Set.of();
        }
        Set<Long> offsets = new HashSet<>();
        for (Lane lane : track.lanes.table()) {
            if (lane.isDelayed) {
                offsets.add(lane.record.offset());
                offsets.addAll(lane.lastOffsets(lane.followers()));
            }
        }
        return offsets;
    }

    /** Records that were started, or wait behind a busy key, for a retry or for an acknowledgement. */
    @Override
    public int inFlight() {
        try (var _ = track.guard.enter()) {
            long spilled = track.spilled.count();
            return (int)
                    Math.min(Integer.MAX_VALUE, track.ledger.inLanes() + spilled + (track.runningOffset() < 0 ? 0 : 1));
        }
    }

    /** Records that the runner has passed since it was counted last. */
    @Override
    public int passed() {
        try (var _ = track.guard.enter()) {
            return track.chunks.passedBy(track.runningOffset());
        }
    }

    /** Keys that are busy. */
    @Override
    public int lanes() {
        try (var _ = track.guard.enter()) {
            return track.lanes.table().size();
        }
    }

    @Override
    public int delayed() {
        try (var _ = track.guard.enter()) {
            return track.lanes.delays.lanes();
        }
    }

    @Override
    public int spilledKeys() {
        return track.spilled.spilledKeys();
    }

    @Override
    public List<String> keysInLog() {
        try (var _ = track.guard.enter()) {
            return track.spilled.keys().keys().stream()
                    .limit(FEW)
                    .map(key -> KeyHash.text(key.hash()))
                    .toList();
        }
    }

    @Override
    public long spilledRecords() {
        return track.spilled.records();
    }

    /**
     * Who is at work at an offset, in words: the key's hash, as {@code offsets describe} shows it, the state, what the
     * attempt before failed with, and the worker's stack.
     */
    @Override
    public String describe(long offset) {
        try (var _ = track.guard.enter()) {
            for (Lane lane : track.lanes.table()) {
                if (lane.record.offset() == offset) {
                    String key = lane.keyed
                            ? "key hash " + KeyHash.text(KeyHash.of(HeldRecord.laneKey(lane.record))) + ", "
                            : "";
                    String before = lane.lastFailure == null ? "" : ", the one before failed with " + lane.lastFailure;
                    return key + lane.state + " in attempt " + lane.attempt + before + stack(lane.worker);
                }
            }
            SpilledKey spilled = track.spilled.oldestKey();
            if (spilled != null && spilled.from() == offset) {
                return "it waits in the log behind key hash " + KeyHash.text(spilled.hash());
            }
            return track.runningOffset() == offset
                    ? "RUNNING in attempt 1" + stack(track.runnerThread())
                    : "it waits behind a busy key or for an acknowledgement";
        }
    }

    @Override
    public String remedy() {
        return "Set attemptLimit, or mend the handler";
    }

    @Override
    public @Nullable UndoneRecord oldestInLog() {
        return track.spilled.oldestInLog();
    }

    @Override
    public @Nullable UndoneRecord oldestUndone() {
        try (var _ = track.guard.enter()) {
            long oldest = track.ledger.oldest();
            for (Lane lane : track.lanes.table()) {
                if (lane.record.offset() == oldest) {
                    return UndoneRecord.of(lane.record, lane.keyed);
                }
            }
            return oldest < 0 ? null : new UndoneRecord(oldest, null, UndoneRecord.UNKNOWN);
        }
    }

    private static String stack(@Nullable Thread thread) {
        if (thread == null) {
            return "";
        }
        StringBuilder stack = new StringBuilder(", at");
        for (StackTraceElement frame : thread.getStackTrace()) {
            stack.append(' ').append(frame);
            if (stack.length() > STACK_CHARS) {
                break;
            }
        }
        return stack.toString();
    }
}
