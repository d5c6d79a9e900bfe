package dev.laneway.engine.start;

import dev.laneway.StartPosition;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** What is asked of the brokers about partitions that start, each within a limit. The owner only. */
final class StartQuestions {
    private final Consumer<byte[], byte[]> consumer;
    private final StartPosition position;

    StartQuestions(Consumer<byte[], byte[]> consumer, StartPosition position) {
        this.consumer = consumer;
        this.position = position;
    }

    /** Whether the start position, and not the client's own rule, says where it starts if nothing is committed. */
    boolean overrides(TopicPartition id) {
        return switch (position) {
            case StartPosition.Committed committed -> false;
            case StartPosition.Offsets(var offsets) -> offsets.containsKey(id);
            case StartPosition.Earliest _, StartPosition.Latest _, StartPosition.Timestamp _ -> true;
        };
    }

    Map<TopicPartition, Optional<OffsetAndMetadata>> committed(Set<TopicPartition> ids, Duration limit) {
        // Without an answer it throws; a client may leave out what was never committed, as Kafka's MockConsumer does.
        Map<TopicPartition, OffsetAndMetadata> known = consumer.committed(ids, limit);
        Map<TopicPartition, Optional<OffsetAndMetadata>> offsets = new HashMap<>();
        ids.forEach(id -> offsets.put(id, Optional.ofNullable(known.get(id))));
        return offsets;
    }

    Map<TopicPartition, Long> beginnings(Set<TopicPartition> ids, Duration limit) {
        return consumer.beginningOffsets(ids, limit);
    }

    Map<TopicPartition, Long> ends(Set<TopicPartition> ids, Duration limit) {
        return consumer.endOffsets(ids, limit);
    }

    Map<TopicPartition, Long> positions(Set<TopicPartition> ids, Duration limit) {
        Map<TopicPartition, Long> found = new HashMap<>();
        // The first call finds them all.
        ids.forEach(id -> found.put(id, consumer.position(id, limit)));
        return found;
    }

    Map<TopicPartition, Optional<Long>> byTime(Set<TopicPartition> ids, Duration limit) {
        if (!(position instanceof StartPosition.Timestamp(var timestamp))) {
            throw new IllegalStateException("no timestamp was given");
        }
        Map<TopicPartition, Long> query = new HashMap<>();
        ids.forEach(id -> query.put(id, timestamp.toEpochMilli()));
        Map<TopicPartition, Optional<Long>> found = new HashMap<>();
        consumer.offsetsForTimes(query, limit)
                .forEach((id, at) -> found.put(id, at == null ? Optional.empty() : Optional.of(at.offset())));
        return found;
    }

    Map<TopicPartition, AddedPartition> judge(Set<TopicPartition> ids, Duration limit) {
        Map<TopicPartition, AddedPartition> verdicts = new HashMap<>();
        for (String topic : ids.stream().map(TopicPartition::topic).distinct().toList()) {
            List<TopicPartition> mine =
                    ids.stream().filter(id -> id.topic().equals(topic)).toList();
            Set<TopicPartition> all = new LinkedHashSet<>(mine);
            consumer.partitionsFor(topic, limit).forEach(info -> all.add(new TopicPartition(topic, info.partition())));
            boolean hasFirst = consumer.assignment().contains(new TopicPartition(topic, 0));
            verdicts.putAll(AddedPartition.of(mine, committed(all, limit), hasFirst));
        }
        return verdicts;
    }
}
