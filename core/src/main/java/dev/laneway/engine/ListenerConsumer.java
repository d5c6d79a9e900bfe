package dev.laneway.engine;

import dev.laneway.RestrictedConsumer;
import dev.laneway.engine.commit.BlockingCalls;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What one call of a rebalance listener may ask of the consumer. The owner only, until {@link #close}. */
final class ListenerConsumer implements RestrictedConsumer, AutoCloseable {
    /** What has become of the partitions that the listener is told of. */
    enum Fate {
        ASSIGNED,
        REVOKED,
        LOST
    }

    private final Fate fate;
    private final Set<TopicPartition> told;
    private final Consumer<byte[], byte[]> consumer;
    private final BlockingCalls calls;
    private final @Nullable BiConsumer<TopicPartition, Long> mover;
    private final ToLongFunction<TopicPartition> starting;
    private final Thread owner = Thread.currentThread();
    private volatile boolean over;

    /**
     * For one call.
     *
     * @param mover begins a partition that was assigned at another offset; null where that cannot be
     * @param starting where a partition will start of which the client does not know it yet; -1 for others
     */
    ListenerConsumer(
            Fate fate,
            Collection<TopicPartition> told,
            Consumer<byte[], byte[]> consumer,
            BlockingCalls calls,
            @Nullable BiConsumer<TopicPartition, Long> mover,
            ToLongFunction<TopicPartition> starting) {
        this.fate = fate;
        this.told = Set.copyOf(told);
        this.consumer = consumer;
        this.calls = calls;
        this.mover = mover;
        this.starting = starting;
    }

    /** The listener has returned. */
    @Override
    public void close() {
        over = true;
    }

    @Override
    public Set<TopicPartition> assignment() {
        allow("assignment");
        return Set.copyOf(consumer.assignment());
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
        allow("beginningOffsets");
        return Map.copyOf(calls.answered(
                "finding the first offsets", partitions, left -> consumer.beginningOffsets(partitions, left)));
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
        allow("endOffsets");
        return Map.copyOf(
                calls.answered("finding the last offsets", partitions, left -> consumer.endOffsets(partitions, left)));
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
        allow("committed");
        return known(calls.granted("reading the committed offsets", left -> consumer.committed(partitions, left)));
    }

    @Override
    public long position(TopicPartition partition) {
        allow("position");
        long start = starting.applyAsLong(partition);
        if (start >= 0) {
            return start;
        }
        return calls.granted("finding the position of " + partition, left -> consumer.position(partition, left));
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times) {
        allow("offsetsForTimes");
        return known(calls.answered(
                "finding offsets by timestamp", times.keySet(), left -> consumer.offsetsForTimes(times, left)));
    }

    /** Without those of which Kafka knows nothing. */
    private static <V> Map<TopicPartition, V> known(Map<TopicPartition, ? extends @Nullable V> answer) {
        Map<TopicPartition, V> known = new HashMap<>();
        answer.forEach((partition, value) -> {
            if (value != null) {
                known.put(partition, value);
            }
        });
        return Map.copyOf(known);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        allow("seek");
        if (offset < 0) {
            throw new IllegalArgumentException("seek offset " + offset + " of " + partition
                    + " is negative, and no partition has such an offset: give 0 or more");
        }
        if (fate != Fate.ASSIGNED || !told.contains(partition)) {
            throw new IllegalStateException("seek(" + partition + ") is for partitions that onAssigned is called with,"
                    + " here " + told + " were " + fate + ": call Laneway.seek, outside of the listener");
        }
        if (mover == null) {
            throw new IllegalStateException("seek(" + partition + ") cannot be, since its offset is kept elsewhere:"
                    + " let offsetsOnAssign give it");
        }
        mover.accept(partition, offset);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        allow("commitSync");
        Set<TopicPartition> others = new HashSet<>(offsets.keySet());
        others.removeAll(told);
        if (fate == Fate.LOST || !others.isEmpty()) {
            throw new IllegalStateException("commitSync(" + offsets.keySet() + ") is for partitions that onAssigned or"
                    + " onRevoked is called with, here " + told + " were " + fate
                    + ": leave the others to Laneway, which commits what is done");
        }
        calls.within("a commit of the rebalance listener", left -> {
            consumer.commitSync(offsets, left);
            return true;
        });
    }

    private void allow(String method) {
        if (over || !Thread.currentThread().equals(owner)) {
            throw new IllegalStateException(method + " of the restricted consumer is for the thread of the rebalance"
                    + " listener's call, until that returns: ask there, and keep the answer");
        }
    }
}
