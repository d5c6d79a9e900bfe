package dev.laneway.engine;

import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * When do partitions at their end fetch nothing, so that one with a backlog does not wait for them? The owner only.
 *
 * <p>A client has one fetch under way at each broker, and a broker keeps a fetch that finds nothing for
 * {@code fetch.max.wait.ms}. While a partition with a backlog is paused for want of room, the client would fetch for
 * those at their end alone, and the backlog would wait for that fetch although room has long come. So they abstain as
 * long as it is paused. When it is resumed, and the client has returned what it kept of it, one fetch asks for all of
 * them, and is answered at once.
 *
 * <p>They need not abstain where pauses last longer than such a fetch: a pause ends at about half of what was held at
 * its beginning, so the other half lasts about as long again. And when the client has not fetched for them for as long
 * as {@link #MOST_FETCHES} such fetches take, they are free until it has.
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
    /** When they began to abstain since the client fetched for them. */
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
     * Notes whether a partition has room for more; whether fetches of others would keep it waiting. They would when it
     * has a backlog, and none now but soon.
     */
    boolean isDisturbed(Partition partition, boolean hasRoom, long now) {
        if (hasRoom) {
            if (partition.noRoomSinceNanos != NONE) {
                partition.lastPauseNanos = now - partition.noRoomSinceNanos;
                partition.noRoomSinceNanos = NONE;
            }
            return false;
        }
        if (partition.noRoomSinceNanos == NONE) {
            partition.noRoomSinceNanos = now;
        }
        return partition.held.ledger.records() > 0
                && now - partition.noRoomSinceNanos < fetchWaitNanos
                && partition.lastPauseNanos < fetchWaitNanos
                && !isAtEnd(partition, now);
    }

    /** The user has paused the partition: how long says nothing. */
    void forget(Partition partition) {
        partition.noRoomSinceNanos = NONE;
    }

    /** Once a turn: whether partitions at their end abstain, given whether their fetches would keep another waiting. */
    boolean turn(boolean disturbs, long now) {
        if (disturbs && sinceNanos == NONE) {
            sinceNanos = now;
        }
        return disturbs && now - sinceNanos < longestNanos;
    }

    /** Some abstain, and others fetch that have more. */
    void othersFetch(long now) {
        othersAtNanos = now;
    }

    /**
     * The client keeps nothing of whoever may fetch, and nobody is kept from that for the sake of others: so it has
     * fetched for all, unless a fetch without them is under way. When they are free because they had abstained for
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
    boolean isAtEnd(Partition partition, long now) {
        if (partition.position < partition.knownEnd) {
            return false;
        }
        if (partition.position == partition.askedAt) {
            return true;
        }
        if (partition.askAtNanos == NONE) {
            // The client would ask the broker about what no fetch has told of, so there is time for a first one.
            partition.askAtNanos = partition.largestChunkBytes > 0 ? now : now + FIRST_FETCH_NANOS;
        }
        if (now - partition.askAtNanos < 0) {
            return partition.askPauseNanos == 0;
        }
        OptionalLong lag = consumer.currentLag(partition.id);
        if (lag.isEmpty()) {
            // It logs each question of that kind.
            partition.askPauseNanos = Math.clamp(2 * partition.askPauseNanos, FIRST_FETCH_NANOS, LONGEST_SILENCE_NANOS);
            partition.askAtNanos = now + partition.askPauseNanos;
            return false;
        }
        partition.askedAt = partition.position;
        partition.knownEnd = partition.position + Math.max(0, lag.getAsLong());
        return partition.position == partition.knownEnd;
    }
}
