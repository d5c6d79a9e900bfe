package dev.laneway.proof;

import dev.laneway.ops.CommitMap;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One assignment of a partition to a member, and what the member did with it, by its journal. Offsets are counted from
 * its start. Not thread-safe.
 */
final class Tenure {
    /** The name of the process. */
    final String member;
    /** The number of the member. */
    final int number;

    final int partition;
    final long fromMicros;
    /** What the member was told is done when it began. */
    final CommitMap start;
    /** The running offset of each busy key. */
    final Map<Integer, Long> running = new HashMap<>();

    End end = End.OPEN;
    long endMicros = Long.MAX_VALUE;
    /** When the member was asked to give it up; {@link Long#MAX_VALUE} if it was not. */
    long revokingMicros = Long.MAX_VALUE;
    /** When the member began to close; {@link Long#MAX_VALUE} if it did not. */
    long closingMicros = Long.MAX_VALUE;
    /** The last commit that was sent, and when. */
    @Nullable
    CommitMap sent;

    long sentTicket;
    long sentMicros;
    /** What went wrong with the last commit; empty when it was confirmed. */
    String lastFailure = "";
    /**
     * When the latest commit was sent that the group refused, since this is no member; negative once one is confirmed.
     */
    long refusedMicros = -1;
    /** The last commit that the broker confirmed. */
    @Nullable
    CommitMap confirmed;

    private final BitSet named = new BitSet();
    private final BitSet ended = new BitSet();
    private final BitSet copied = new BitSet();
    /** Done before, or ended and copied: what a commit may name. */
    private final BitSet done = new BitSet();

    /** The start of the latest attempt, by offset. */
    private final Map<Long, Long> startedMicros = new HashMap<>();

    private final Map<Long, Long> endedMicros = new HashMap<>();
    private final Map<Long, Long> copiedMicros = new HashMap<>();

    /** How a tenure ends. */
    enum End {
        OPEN,
        REVOKED,
        /** The member learned that another one has the partition. */
        LOST,
        KILLED,
        /** The member ended by itself, which is reported for itself. */
        FAILED
    }

    Tenure(String member, int number, int partition, long fromMicros, CommitMap start) {
        this.member = member;
        this.number = number;
        this.partition = partition;
        this.fromMicros = fromMicros;
        this.start = start;
        for (CommitMap.Run run : start.done()) {
            named.set(bit(run.from()), bit(run.to()));
        }
        done.or(named);
    }

    private int bit(long offset) {
        return Math.toIntExact(offset - start.offset());
    }

    void end(End how, long micros) {
        end = how;
        endMicros = micros;
    }

    /** Whether it began with this record done. */
    boolean beganWith(long offset) {
        return offset < start.offset() || named.get(bit(offset));
    }

    /** Whether its handler has ended well here. */
    boolean hasEnded(long offset) {
        return offset >= start.offset() && ended.get(bit(offset));
    }

    /** Notes that a handler ended well; false if it had done so here before. */
    boolean ended(long offset, long micros) {
        boolean first = !ended.get(bit(offset));
        ended.set(bit(offset));
        endedMicros.put(offset, micros);
        if (copied.get(bit(offset))) {
            done.set(bit(offset));
        }
        return first;
    }

    /** Notes the start of an attempt. */
    void started(long offset, long micros) {
        startedMicros.put(offset, micros);
    }

    /** Whether it waits for the acknowledgement of this record's copy, made by the attempt that began then. */
    boolean awaitsCopy(long offset, long attemptMicros) {
        return hasEnded(offset) && !copied.get(bit(offset)) && startedMicros.getOrDefault(offset, -1L) == attemptMicros;
    }

    void copied(long offset, long micros) {
        copied.set(bit(offset));
        done.set(bit(offset));
        copiedMicros.put(offset, micros);
    }

    /**
     * Whether the record was not done when the last commit was made, after waiting for it until the limit. If there was
     * nothing new to commit, the wait ended with the limit.
     */
    boolean outlivedTheLimit(long offset) {
        long drained = limited(revokingMicros, ChaosPlan.DRAIN_LIMIT);
        long closed = limited(closingMicros, ChaosPlan.CLOSE_LIMIT);
        boolean committed = sent != null && sentMicros >= Math.min(revokingMicros, closingMicros);
        long last = committed ? sentMicros : endMicros;
        long limit = Math.min(drained, closed);
        long until = committed ? sentMicros : limit;
        return last >= limit
                && (endedMicros.getOrDefault(offset, Long.MAX_VALUE) > until
                        || copiedMicros.getOrDefault(offset, Long.MAX_VALUE) > until);
    }

    private static long limited(long askedMicros, Duration limit) {
        return askedMicros == Long.MAX_VALUE ? askedMicros : askedMicros + micros(limit);
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    /** The first offset that a commit names as done although it is not; negative if there is none. */
    long falselyNamed(CommitMap commit) {
        long undone = start.offset() + done.nextClearBit(0);
        if (undone < commit.offset()) {
            return undone;
        }
        for (CommitMap.Run run : commit.done()) {
            undone = start.offset() + done.nextClearBit(bit(run.from()));
            if (undone < run.to()) {
                return undone;
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        return member + " of partition " + partition + " (" + end + ")";
    }
}
