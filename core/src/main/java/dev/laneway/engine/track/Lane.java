package dev.laneway.engine.track;

import dev.laneway.engine.runtime.ObservedAttempt;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A key that is busy: one record that has been started and has not ended, and behind it, in order, the records of the
 * same key that the cursor has passed meanwhile. Most keys never have a lane, see {@link Track}. Every field is guarded
 * by the track's guard, but for those that say otherwise.
 */
public final class Lane implements ReadyWork {
    /** Where the lane's record is. */
    enum State {
        /** A worker calls the handler, or is about to. */
        RUNNING,
        /**
         * The handler has ended and the worker acts on it: it sends, or settles a batch. Must not be interrupted any
         * more.
         */
        SETTLING,
        /** An asynchronous handler has not completed. */
        PENDING,
        /** It waits for a worker. */
        READY,
        /** It waits for its next attempt, or for the time of its record; no thread is held. */
        WAITING,
        /** Its next record has yet to be read again from the log, see {@link SpilledRecords}. */
        SPILLED,
        /** No record is left; the key is free again. */
        ENDED
    }

    public final Track track;
    final int hash;
    final boolean keyed;
    State state = State.RUNNING;
    public ConsumerRecord<byte[], byte[]> record;
    /** The number of the attempt that runs or comes next. */
    public int attempt = 1;
    /** What the attempt before that failed with; null when it did not fail, or there was none. */
    public @Nullable Throwable lastFailure;
    /** Which run of a handler is meant: an answer for an older one is late and dropped. */
    int ticket;
    /** Set when the owner has interrupted the worker: the attempt counts as failed however it ends. */
    boolean timedOut;

    boolean interrupted;
    /** Whether it waits for the time of its record, see {@link Delays}. */
    boolean isDelayed;
    /** Until when it waits, in milliseconds since 1970; 0 where that is soon or not known. */
    long waitsUntilMillis;
    /** Where the record that it waits with stands in the log alone. */
    @Nullable
    SpilledHead head;

    /** The thread of the worker that has it; null when none has. Interrupted only under the track's guard. */
    @Nullable
    Thread worker;

    @Nullable
    CompletionStage<?> stage;

    @Nullable
    ArrayDeque<ConsumerRecord<byte[], byte[]>> followers;
    /** The end of the lane that stands in the log alone; null where there is none. */
    @Nullable
    SpilledTail tail;
    /** The batch that took records of this lane last. */
    @Nullable
    Batch batch;
    /** How many of the first followers were in the batch that is being settled. */
    int batchLeft;
    /** Records taken in a row by one worker. */
    int inARow;
    /** Who listens to the attempt that has ended, or whose stage has not; null where nobody does. Its worker's. */
    public @Nullable ObservedAttempt observed;
    /** How the attempt ended, where a worker has yet to act on it. Handed over through the ready queue. */
    public @Nullable AttemptResult result;

    /** Where it stands in its table. */
    int place;

    Lane(Track track, ConsumerRecord<byte[], byte[]> record, int hash, boolean keyed) {
        this.track = track;
        this.record = record;
        this.hash = hash;
        this.keyed = keyed;
    }

    /** The lane of a record whose key is not busy. */
    static Lane of(Track track, ConsumerRecord<byte[], byte[]> record) {
        boolean keyed = track.lanes.table().isKeyed(record);
        return new Lane(track, record, keyed ? LaneTable.hash(HeldRecord.laneKey(record)) : 0, keyed);
    }

    @Override
    public boolean claim(Thread by) {
        return track.lanes.claim(this, by);
    }

    /** The lane is done with its record: the next one begins at its first attempt, and late answers are void. */
    void forgetAttempts() {
        ticket++;
        attempt = 1;
        lastFailure = null;
        observed = null;
        stage = null;
    }

    /** It waits until then, which is seconds from now or longer. */
    void waitsUntil(long millis) {
        if (waitsUntilMillis == 0) {
            track.lanes.delays.waitsLong();
        }
        waitsUntilMillis = millis;
    }

    void waitsNoMore() {
        if (waitsUntilMillis != 0) {
            track.lanes.delays.waitsNoMore();
        }
        waitsUntilMillis = 0;
    }

    /** Clears what an interrupt may have left behind; true when the attempt was over its limit. */
    boolean clearFlags() {
        boolean wasTimedOut = timedOut;
        if (interrupted) {
            interrupted = false;
            timedOut = false;
            Thread.interrupted();
        }
        return wasTimedOut;
    }

    /** Ends a stage that nobody waits for. */
    void cancel(ReadyQueue queue) {
        if (stage instanceof Future<?> future) {
            // By a worker: what hangs on the future is user code, which must not run under the guard.
            queue.ready(new HandlerCancellation(future));
        }
        stage = null;
    }

    /** Holds a record that the cursor has come to, or leaves it to the log. */
    void join(Chunk chunk, ConsumerRecord<byte[], byte[]> met) {
        SpilledTail spilled = tail;
        boolean isListed = spilled != null && spilled.lists(met.offset());
        if (spilled != null && isListed && !spilled.isLive()) {
            spilled.records++;
            track.ledger.passedBy(chunk, met);
            return;
        }
        track.ledger.left(chunk, met, isListed);
        follow(met);
        if (state == State.SPILLED) {
            track.lanes.restart(this); // An earlier owner had started it.
        }
    }

    void follow(ConsumerRecord<byte[], byte[]> follower) {
        if (followers == null) {
            followers = new ArrayDeque<>(4);
        }
        followers.addLast(follower);
    }

    void precede(ConsumerRecord<byte[], byte[]> follower) {
        if (followers == null) {
            followers = new ArrayDeque<>(4);
        }
        followers.addFirst(follower);
    }

    /** The next record behind the one that runs; there must be one. */
    ConsumerRecord<byte[], byte[]> nextFollower() {
        ConsumerRecord<byte[], byte[]> next = pollFollower();
        if (next == null) {
            throw new IllegalStateException("no record waits in lane " + this);
        }
        return next;
    }

    @Nullable
    ConsumerRecord<byte[], byte[]> pollFollower() {
        ConsumerRecord<byte[], byte[]> next = followers == null ? null : followers.pollFirst();
        if (next != null && tail != null) {
            track.spilled.starts(tail, next);
        }
        return next;
    }

    /** The next record behind the one that runs, which stays there; there must be one. */
    ConsumerRecord<byte[], byte[]> firstFollower() {
        if (followers == null) {
            throw new IllegalStateException("no record waits in lane " + this);
        }
        return followers.getFirst();
    }

    /** The last follower, which there must be, is followed no more. */
    ConsumerRecord<byte[], byte[]> dropLast() {
        if (followers == null) {
            throw new IllegalStateException("no record waits in lane " + this);
        }
        return followers.removeLast();
    }

    /** The offsets of the last so many followers, the last one first. */
    List<Long> lastOffsets(int count) {
        return followers == null
                ? List.of()
                : followers.reversed().stream()
                        .limit(count)
                        .map(ConsumerRecord::offset)
                        .toList();
    }

    /** Those that wait behind the one that runs, in order. */
    Collection<ConsumerRecord<byte[], byte[]>> allFollowers() {
        return followers == null ? List.of() : followers;
    }

    /** How many records wait behind the one that runs. */
    int followers() {
        return followers == null ? 0 : followers.size();
    }

    boolean hasFollower() {
        return followers != null && !followers.isEmpty();
    }

    @Override
    public String toString() {
        return track.partition + "@" + record.offset() + " " + state + " attempt " + attempt;
    }
}
