package dev.laneway.engine;

import dev.laneway.engine.track.Chunk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Records as a poll returns them. */
public final class Records {
    public static final TopicPartition ORDERS_0 = new TopicPartition("orders", 0);

    private Records() {}

    public static ConsumerRecord<byte[], byte[]> record(
            TopicPartition id, long offset, @Nullable String key, int valueBytes) {
        return record(id, offset, key, valueBytes, Optional.empty());
    }

    private static ConsumerRecord<byte[], byte[]> record(
            TopicPartition id, long offset, @Nullable String key, int valueBytes, Optional<Integer> leaderEpoch) {
        byte[] bytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
        return new ConsumerRecord<>(
                id.topic(),
                id.partition(),
                offset,
                1_700_000_000_000L + offset,
                TimestampType.CREATE_TIME,
                bytes == null ? -1 : bytes.length,
                valueBytes,
                bytes,
                new byte[valueBytes],
                new RecordHeaders(),
                leaderEpoch);
    }

    public static ConsumerRecord<byte[], byte[]> record(long offset, @Nullable String key) {
        return record(ORDERS_0, offset, key, 10);
    }

    /** Records from an offset on without gaps, one for each letter: its key; a dot has none. */
    public static Chunk chunk(long from, String keys) {
        return chunk(ORDERS_0, from, keys);
    }

    public static Chunk chunk(TopicPartition id, long from, String keys) {
        return chunk(id, from, keys, Optional.empty());
    }

    /** As {@link #chunk(TopicPartition, long, String)}, written under a leader epoch. */
    public static Chunk chunk(TopicPartition id, long from, String keys, int leaderEpoch) {
        return chunk(id, from, keys, Optional.of(leaderEpoch));
    }

    private static Chunk chunk(TopicPartition id, long from, String keys, Optional<Integer> leaderEpoch) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < keys.length(); i++) {
            String key = keys.charAt(i) == '.' ? null : keys.substring(i, i + 1);
            records.add(record(id, from + i, key, 10, leaderEpoch));
        }
        return new Chunk(records);
    }

    static String key(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? "." : new String(record.key(), StandardCharsets.UTF_8);
    }
}
