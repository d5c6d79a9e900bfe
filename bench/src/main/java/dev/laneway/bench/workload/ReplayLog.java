package dev.laneway.bench.workload;

import dev.laneway.cli.workload.Payload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/**
 * Records in memory, as polls return them: each poll's result is made beforehand, so that replaying costs almost
 * nothing. Immutable; each replay starts at offset 0.
 */
final class ReplayLog {
    static final String TOPIC = "replay";
    static final int CHUNK = 1_000;

    private static final long SEED = 42;
    private static final int VALUE_BYTES = 100;

    private final List<List<ConsumerRecords<byte[], byte[]>>> partitions = new ArrayList<>();
    private final long[] ends;

    /**
     * Makes it.
     *
     * @param records in all, distributed evenly over the partitions
     * @param keys in all; each has its partition
     */
    ReplayLog(int partitions, long records, int keys) {
        this.ends = new long[partitions];
        SplittableRandom random = new SplittableRandom(SEED);
        byte[][] keyBytes = new byte[keys][];
        for (int key = 0; key < keys; key++) {
            keyBytes[key] = Payload.keyBytes(key);
        }
        byte[] value = new Payload(0, 0, 0).valueBytes(VALUE_BYTES);
        for (int partition = 0; partition < partitions; partition++) {
            ends[partition] = records / partitions + (partition < records % partitions ? 1 : 0);
            this.partitions.add(chunks(partition, partitions, keyBytes, value, random));
        }
    }

    private List<ConsumerRecords<byte[], byte[]>> chunks(
            int partition, int partitions, byte[][] keys, byte[] value, SplittableRandom random) {
        TopicPartition id = new TopicPartition(TOPIC, partition);
        RecordHeaders noHeaders = new RecordHeaders();
        noHeaders.setReadOnly();
        int ownKeys = (keys.length - partition + partitions - 1) / partitions;
        List<ConsumerRecords<byte[], byte[]>> chunks = new ArrayList<>();
        for (long from = 0; from < ends[partition]; from += CHUNK) {
            long to = Math.min(from + CHUNK, ends[partition]);
            List<ConsumerRecord<byte[], byte[]>> chunk = new ArrayList<>(Math.toIntExact(to - from));
            for (long offset = from; offset < to; offset++) {
                byte[] key = keys[partition + partitions * random.nextInt(ownKeys)];
                chunk.add(new ConsumerRecord<>(
                        TOPIC,
                        partition,
                        offset,
                        offset,
                        TimestampType.CREATE_TIME,
                        key.length,
                        value.length,
                        key,
                        value,
                        noHeaders,
                        Optional.empty()));
            }
            chunks.add(new ConsumerRecords<>(Map.of(id, chunk), Map.of(id, new OffsetAndMetadata(to))));
        }
        return chunks;
    }

    /** The end offset of each partition. */
    List<Long> ends() {
        return Arrays.stream(ends).boxed().toList();
    }

    long end(int partition) {
        return ends[partition];
    }

    /** What polls of the partition return, one after the other. */
    List<ConsumerRecords<byte[], byte[]>> chunks(int partition) {
        return partitions.get(partition);
    }

    List<TopicPartition> ids() {
        List<TopicPartition> ids = new ArrayList<>();
        for (int partition = 0; partition < ends.length; partition++) {
            ids.add(new TopicPartition(TOPIC, partition));
        }
        return ids;
    }
}
