package dev.laneway.engine;

import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * When do partitions at their end fetch nothing, so that one with a backlog does not wait for them? The owner only.
 *
 * <p>A client has one fetch under way at each broker, and a broker keeps a fetch that finds nothing for
 * {@code fetch.max.wait.ms}. While a partition with a backlog is paused for want of room, the client would fetch for
 * those at their end alone, and the backlog would wait for that fetch although room has long come. So they abstain as
 * long as it is paused; as soon as it is resumed, one fetch asks for all of them, and is answered at once.
 *
 * <p>They need not abstain where pauses last longer than such a fetch: a pause ends at half of what was held at its
 * beginning, so the other half lasts as long again. And they abstain for {@link #LONGEST} such fetches at a time at
 * most, so that pauses of several partitions by turns do not shut them out; then they fetch for one.
 */
final class Abstention {
    /** In fetches that find nothing. A fifth of the time at most is lost to those. */
    private static final int LONGEST = 4;

    private static final long FIRST_FETCH_NANOS = 20_000_000;

    private static final long NONE = Long.MIN_VALUE;

    private final Consumer<byte[], byte[]> consumer;
    private final long fetchWaitNanos;
    /** Since when they abstain, or fetch after they have for long. */
    private long sinceNanos = NONE;

    /** @param fetchWaitNanos how long a broker keeps a fetch that finds nothing */
    Abstention(Consumer<byte[], byte[]> consumer, long fetchWaitNanos) {
        this.consumer = consumer;
        this.fetchWaitNanos = fetchWaitNanos;
    }

    /**
     * Whether a partition is one that others must not keep waiting: it holds records, and has no room for more just
     * now.
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
                && partition.lastPauseNanos < fetchWaitNanos;
    }

    /** Once a turn: whether partitions at their end abstain, given whether they would disturb another. */
    boolean turn(boolean wouldDisturb, long now) {
        if (!wouldDisturb) {
            sinceNanos = NONE;
            return false;
        }
        if (sinceNanos == NONE || now - sinceNanos >= (LONGEST + 1) * fetchWaitNanos) {
            sinceNanos = now;
        }
        return now - sinceNanos < LONGEST * fetchWaitNanos;
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
            return !partition.endIsUnknown;
        }
        OptionalLong lag = consumer.currentLag(partition.id);
        if (lag.isEmpty()) {
            partition.endIsUnknown = true;
            partition.askAtNanos = now + FIRST_FETCH_NANOS;
            return false;
        }
        partition.askedAt = partition.position;
        partition.knownEnd = partition.position + lag.getAsLong();
        return lag.getAsLong() == 0;
    }
}
