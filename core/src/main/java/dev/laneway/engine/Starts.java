package dev.laneway.engine;

import dev.laneway.BrokerException;
import dev.laneway.MetadataPolicy;
import dev.laneway.Options;
import dev.laneway.StartPosition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where partitions start, and what an earlier owner has already done of them. The owner only. */
final class Starts {
    /** Makes the partition of a new assignment. */
    interface Maker {
        /**
         * Makes it.
         *
         * @param start the offset of the first record
         * @param done what an earlier owner has done beyond it
         */
        Partition make(TopicPartition id, long start, Decoded.@Nullable Map done);
    }

    private static final Logger log = LoggerFactory.getLogger(Starts.class);

    private final Consumer<byte[], byte[]> consumer;
    private final Calls calls;
    private final Options options;
    private final Maker maker;
    /**
     * Partitions whose start position this process has applied: afterwards the committed offset counts. Shared by
     * members.
     */
    private final Set<TopicPartition> positioned;

    /** Whether the start position counts at each assignment, since nothing is ever committed. */
    private boolean startsAnew;
    /** Whether the metadata beside the offset is the user's own. */
    private boolean isNoted;

    Starts(
            Consumer<byte[], byte[]> consumer,
            Calls calls,
            Options options,
            Maker maker,
            Set<TopicPartition> positioned) {
        this.consumer = consumer;
        this.calls = calls;
        this.options = options;
        this.maker = maker;
        this.positioned = positioned;
    }

    /** Before the first partition: these are a stream's. */
    void serve(Handling.Streaming.Kind kind) {
        startsAnew = kind == Handling.Streaming.Kind.PLAIN;
        isNoted = kind == Handling.Streaming.Kind.NOTED;
    }

    /** Positions the consumer and makes the partitions. */
    List<Partition> open(Collection<TopicPartition> ids) {
        if (ids.isEmpty()) {
            return List.of();
        }
        // Without an answer it throws; a client may leave out what was never committed, as Kafka's MockConsumer does.
        Map<TopicPartition, OffsetAndMetadata> committed =
                calls.granted("reading the committed offsets", left -> consumer.committed(new HashSet<>(ids), left));
        Set<TopicPartition> overridden = override(ids);
        List<Partition> opened = new ArrayList<>(ids.size());
        for (TopicPartition id : ids) {
            OffsetAndMetadata offset = overridden.contains(id) ? null : committed.get(id);
            Decoded.Map done = null;
            if (offset != null) {
                done = restore(id, offset);
                consumer.seek(id, offset);
            }
            long start = offset == null ? position(id) : offset.offset();
            Partition partition = maker.make(id, start, done);
            if (offset != null) {
                partition.restored(offset, done);
            }
            opened.add(partition);
        }
        if (!startsAnew) {
            positioned.addAll(ids); // Not before: what fails on the way is tried again, from the start position.
        }
        return opened;
    }

    /** A partition that goes on elsewhere than the group says; the consumer's position is the caller's. */
    Partition from(TopicPartition id, long offset) {
        consumer.resume(Set.of(id)); // Flow control may have paused it; the new partition starts afresh.
        return maker.make(id, offset, null);
    }

    private long position(TopicPartition id) {
        return calls.granted("finding the position of " + id, left -> consumer.position(id, left));
    }

    private Decoded.@Nullable Map restore(TopicPartition id, OffsetAndMetadata offset) {
        if (isNoted) {
            return null;
        }
        Decoded decoded = OffsetMap.decode(offset.offset(), offset.metadata());
        return switch (decoded) {
            case Decoded.None none -> null;
            case Decoded.Map map -> {
                if (map.origin() == Decoded.Map.Origin.PARALLEL_CONSUMER && options.metadata() != MetadataPolicy.READ) {
                    yield foreign(id, "a map of Parallel Consumer");
                }
                if (map.cursor() > end(id)) {
                    yield foreign(id, "a map that reaches beyond the end of the log");
                }
                log.info("{}@{}: records that an earlier owner has done are skipped: {}", id, offset.offset(), map);
                yield map;
            }
            case Decoded.Foreign foreign -> foreign(id, foreign.kind() + ": " + foreign.reason());
        };
    }

    private long end(TopicPartition id) {
        Set<TopicPartition> one = Set.of(id);
        return calls.answered("finding the last offset", one, left -> consumer.endOffsets(one, left))
                .get(id);
    }

    private Decoded.@Nullable Map foreign(TopicPartition id, String what) {
        if (options.metadata() == MetadataPolicy.FAIL_ON_FOREIGN) {
            throw new BrokerException(
                    "the commit metadata of " + id + " is not Laneway's (" + what
                            + ") and metadata is FAIL_ON_FOREIGN: use another "
                            + "group, or MetadataPolicy.READ to take the group over",
                    null);
        }
        log.warn(
                "the commit metadata of {} is not Laneway's and is ignored ({}); the next commit overwrites it",
                id,
                what);
        return null;
    }

    /** Seeks to the start position of those partitions that have not had theirs; returns them. */
    private Set<TopicPartition> override(Collection<TopicPartition> ids) {
        Set<TopicPartition> fresh = new HashSet<>(ids);
        fresh.removeAll(positioned);
        switch (options.startPosition()) {
            case StartPosition.Committed committed -> fresh.clear();
            case StartPosition.Earliest earliest ->
                seek(calls.answered(
                        "finding the first offsets", fresh, left -> consumer.beginningOffsets(fresh, left)));
            case StartPosition.Latest latest ->
                seek(calls.answered("finding the last offsets", fresh, left -> consumer.endOffsets(fresh, left)));
            case StartPosition.Offsets(var offsets) -> {
                fresh.retainAll(offsets.keySet());
                offsets.forEach((id, offset) -> {
                    if (fresh.contains(id)) {
                        consumer.seek(id, offset);
                    }
                });
            }
            case StartPosition.Timestamp(var timestamp) -> {
                Map<TopicPartition, Long> query = new HashMap<>();
                fresh.forEach(id -> query.put(id, timestamp.toEpochMilli()));
                // The ends first: what is written in between is after them.
                Map<TopicPartition, Long> ends =
                        calls.answered("finding the last offsets", fresh, left -> consumer.endOffsets(fresh, left));
                Map<TopicPartition, OffsetAndTimestamp> found = calls.answered(
                        "finding offsets by timestamp", fresh, left -> consumer.offsetsForTimes(query, left));
                ends.forEach((id, end) -> {
                    OffsetAndTimestamp at = found.get(id);
                    consumer.seek(id, at == null ? end : at.offset());
                });
            }
        }
        return fresh;
    }

    private void seek(Map<TopicPartition, Long> offsets) {
        offsets.forEach(consumer::seek);
    }
}
