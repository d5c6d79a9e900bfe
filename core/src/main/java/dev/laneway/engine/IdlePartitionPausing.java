package dev.laneway.engine;

import dev.laneway.PauseReason;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * When do partitions at their end fetch nothing, so that one with a backlog does not wait for them? The owner only.
 *
 * <p>A client has one fetch under way at each broker, and a broker keeps a fetch that finds nothing for
 * {@code fetch.max.wait.ms}. While a partition with a backlog is paused for want of room, the client would fetch for
 * those at their end alone, and the backlog would wait for that fetch although room has long come. So they are paused
 * as long as it is. When it is resumed, and the client has returned what it kept of it, one fetch asks for all of them,
 * and is answered at once.
 *
 * <p>They need not be where pauses last longer than such a fetch: a pause ends at about half of what was held at its
 * beginning, so the other half lasts about as long again. And when the client has not fetched for them for as long as
 * {@link #MOST_FETCHES} such fetches take, they are free until it has.
 */
final class IdlePartitionPausing {
    private static final int MOST_FETCHES = 4;
    /** But no longer than this, however long brokers keep fetches. */
    private static final long LONGEST_NANOS = 2_000_000_000;

    private static final long FIRST_FETCH_NANOS = 20_000_000;
    private static final long LONGEST_SILENCE_NANOS = 5_000_000_000L;
    private static final long NONE = Long.MIN_VALUE;

    private final Consumer<byte[], byte[]> consumer;
    private final long fetchWaitNanos;
    private final long longestNanos;
    /** Since when they have been paused without a fetch for them. */
    private long sinceNanos = NONE;
    /**
     * When the client could fetch for others and not for them the last time: that fetch may be under way for so long.
     */
    private long othersAtNanos = NONE;

    /** @param fetchWaitNanos how long a broker keeps a fetch that finds nothing */
    IdlePartitionPausing(Consumer<byte[], byte[]> consumer, long fetchWaitNanos) {
        this.consumer = consumer;
        this.fetchWaitNanos = fetchWaitNanos;
        this.longestNanos = Math.min(LONGEST_NANOS, MOST_FETCHES * fetchWaitNanos);
    }

    /**
     * Notes whether a partition has room for more, as far as the budgets are concerned. Returns whether fetches of
     * others would keep it waiting: it has a backlog, and has no room now but soon.
     */
    boolean noteRoom(FetchState state, long now) {
        if (state.ruledOut != null) {
            state.idle.noRoomSinceNanos = NONE; // How long it is says nothing.
            return false;
        }
        if (state.decision == null) {
            state.idle.room(now);
            return false;
        }
        state.idle.noRoom(now);
        return wouldWait(state, now);
    }

    private boolean wouldWait(FetchState state, long now) {
        State idle = state.idle;
        return state.heldRecords > 0
                && now - idle.noRoomSinceNanos < fetchWaitNanos
                && idle.lastPauseNanos < fetchWaitNanos
                && !checkAtEnd(state, now);
    }

    /**
     * Pauses partitions at their end, since a backlog would wait for their fetches; unless that has lasted too long.
     * Returns whether there were any.
     */
    boolean pause(List<FetchState> states, long now) {
        if (sinceNanos == NONE) {
            sinceNanos = now;
        }
        if (now - sinceNanos >= longestNanos) {
            return false;
        }
        boolean pauses = false;
        boolean othersFetch = false;
        for (int i = 0; i < states.size(); i++) {
            FetchState state = states.get(i);
            if (state.decision == null && checkAtEnd(state, now)) {
                state.decision = PauseReason.AT_END;
                pauses = true;
            } else if (state.decision == null) {
                othersFetch = true;
            }
        }
        if (pauses && othersFetch) {
            othersAtNanos = now;
        }
        return pauses;
    }

    /**
     * The client keeps nothing of whoever may fetch, and nobody is kept from that for the sake of others: so it has
     * fetched for all, unless a fetch without them is under way. When they are free because they had been paused for
     * long, they are for as long as a fetch, so that they get what it brings.
     */
    void fetched(long now) {
        boolean isFree = sinceNanos != NONE && now - sinceNanos >= longestNanos;
        if ((othersAtNanos == NONE || now - othersAtNanos >= fetchWaitNanos)
                && !(isFree && now - sinceNanos < longestNanos + fetchWaitNanos)) {
            sinceNanos = NONE;
        }
    }

    /**
     * Whether a partition has nothing to fetch, as far as its latest fetch has told. The client is asked once for each
     * position that is reached without knowing of more: the one of the consumer protocol has to ask another thread.
     */
    private boolean checkAtEnd(FetchState state, long now) {
        State idle = state.idle;
        long position = state.partition.position;
        if (position < idle.knownEnd) {
            return false;
        }
        if (position == idle.askedAt) {
            return true;
        }
        if (idle.askAtNanos == NONE) {
            // The client would ask the broker about what no fetch has told of, so there is time for a first one.
            idle.askAtNanos = state.largestChunkBytes > 0 ? now : now + FIRST_FETCH_NANOS;
        }
        if (now - idle.askAtNanos < 0) {
            return idle.askPauseNanos == 0;
        }
        OptionalLong lag = consumer.currentLag(state.partition.id);
        if (lag.isEmpty()) {
            // It logs each question of that kind.
            idle.askPauseNanos = Math.clamp(2 * idle.askPauseNanos, FIRST_FETCH_NANOS, LONGEST_SILENCE_NANOS);
            idle.askAtNanos = now + idle.askPauseNanos;
            return false;
        }
        idle.askedAt = position;
        idle.knownEnd = position + Math.max(0, lag.getAsLong());
        return position == idle.knownEnd;
    }

    /** What is known of one partition. */
    static final class State {
        /** Since when it has had no room for more. */
        private long noRoomSinceNanos = NONE;
        /** How long it had no room the last time. */
        private long lastPauseNanos;
        /** Where its log ended when the client was asked last; -1 when it was not. */
        private long knownEnd = -1;
        /** Where it stood then. */
        private long askedAt = -1;
        /** When the client may be asked. */
        private long askAtNanos = NONE;
        /** How long to wait with the next question after one that had no answer; 0 as long as all had one. */
        private long askPauseNanos;

        /** It has more to fetch than the client has told. */
        void forgetEnd() {
            askedAt = -1;
        }

        private void noRoom(long now) {
            if (noRoomSinceNanos == NONE) {
                noRoomSinceNanos = now;
            }
        }

        private void room(long now) {
            if (noRoomSinceNanos != NONE) {
                lastPauseNanos = now - noRoomSinceNanos;
                noRoomSinceNanos = NONE;
            }
        }
    }
}
