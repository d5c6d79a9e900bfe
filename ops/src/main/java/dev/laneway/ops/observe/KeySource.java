package dev.laneway.ops.observe;

import dev.laneway.ops.GroupLag;
import dev.laneway.ops.PartitionLag;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of the partition that has most of a group's lag, to tell one hot key from many keys of a hot partition:
 * {@link Groups#KEYS}. It reads with a consumer of its own that belongs to no group and commits nothing, once for each
 * partition, the latest {@value #MOST_RECORDS} records or {@value #MOST_BYTES} bytes at most, and of
 * {@value #MOST_PARTITIONS} partitions at most. It counts hashes of keys, and forgets them. Needs the right READ on the
 * topic.
 */
public final class KeySource implements Source {
    static final int MOST_RECORDS = 2_000;
    static final int MOST_BYTES = 8 << 20;
    static final int MOST_PARTITIONS = 3;

    private static final String NAME = "keys";
    /** Fewer records tell nothing, and a partition with less of the lag is not what holds a group up. */
    private static final int LEAST_RECORDS = 50;

    private static final double LEAST_SHARE = 0.4;
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration CLOSE = Duration.ofSeconds(1);

    private final AdminSource admin;
    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final Map<TopicPartition, Sample> read = new LinkedHashMap<>();

    KeySource(AdminSource admin, Supplier<Consumer<byte[], byte[]>> consumers) {
        this.admin = admin;
        this.consumers = consumers;
    }

    /**
     * Reads keys of what a source is behind with.
     *
     * @param admin which is read before this one in each round; it stays its owner's
     * @param config how to connect
     */
    public static KeySource of(AdminSource admin, Map<String, ?> config) {
        Map<String, Object> own = new HashMap<>(config);
        own.remove(ConsumerConfig.GROUP_ID_CONFIG);
        own.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        own.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        own.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        own.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 1 << 20);
        return new KeySource(
                admin, () -> new KafkaConsumer<>(own, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Tells what it has read so far; what cannot be read is told as a problem. */
    @Override
    public Sample read(Duration limit) {
        GroupLag lag = admin.latest();
        PartitionLag wanted = lag == null ? null : wanted(lag.partitions());
        if (wanted != null && read.size() < MOST_PARTITIONS) {
            read.computeIfAbsent(wanted.partition(), _ -> keys(wanted, limit));
        }
        SampleBuilder sample = new SampleBuilder();
        read.values().forEach(known -> {
            known.numbers().forEach(sample::put);
            known.texts().forEach(sample::put);
        });
        return sample.build(NAME, System.currentTimeMillis());
    }

    /** The partition with most of the lag, if it has much of it. */
    private static @Nullable PartitionLag wanted(List<PartitionLag> partitions) {
        long all = 0;
        PartitionLag most = null;
        for (PartitionLag partition : partitions) {
            long lag = Objects.requireNonNullElse(partition.lag(), 0L);
            all += lag;
            if (partition.end() != null && lag >= LEAST_RECORDS && (most == null || lag > lagOf(most))) {
                most = partition;
            }
        }
        return most != null && partitions.size() > 1 && lagOf(most) >= LEAST_SHARE * all ? most : null;
    }

    private static long lagOf(PartitionLag partition) {
        return Objects.requireNonNullElse(partition.lag(), 0L);
    }

    private Sample keys(PartitionLag lag, Duration limit) {
        TopicPartition partition = lag.partition();
        SampleBuilder sample = new SampleBuilder();
        Map<String, String> tags =
                Map.of("topic", partition.topic(), "partition", Integer.toString(partition.partition()));
        Keys keys = new Keys();
        try (Reading reading = new Reading(consumers.get())) {
            reading.read(partition, Objects.requireNonNull(lag.end()), lagOf(lag), limit, keys);
        } catch (AuthorizationException refused) {
            sample.put(
                    Groups.KEYS,
                    "problem",
                    tags,
                    "the right READ on topic " + partition.topic() + " is missing: grant it to the user of the check");
        } catch (KafkaException failed) {
            sample.put(Groups.KEYS, "problem", tags, "its records could not be read: " + Reasons.of(failed));
        }
        sample.put(Groups.KEYS, "records", tags, keys.records);
        sample.put(Groups.KEYS, "keyless", tags, keys.keyless);
        sample.put(Groups.KEYS, "distinct", tags, keys.counts.size());
        sample.put(Groups.KEYS, "most-frequent", tags, keys.mostFrequent());
        return sample.build(NAME, System.currentTimeMillis());
    }

    /** A consumer for one reading. */
    private record Reading(Consumer<byte[], byte[]> consumer) implements AutoCloseable {
        void read(TopicPartition partition, long end, long lag, Duration limit, Keys into) {
            long deadline = System.nanoTime() + limit.toNanos();
            consumer.assign(List.of(partition));
            consumer.seek(partition, end - Math.min(lag, MOST_RECORDS));
            // A transaction's marker has an offset and is no record, so the position tells the end.
            while (into.isWanted() && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], byte[]> found : consumer.poll(POLL)) {
                    into.add(found);
                }
                if (consumer.position(partition, limit) >= end) {
                    return;
                }
            }
        }

        @Override
        public void close() {
            consumer.close(CloseOptions.timeout(CLOSE));
        }
    }

    /** Counts keys by their hashes. */
    private static final class Keys {
        private final Map<Long, Integer> counts = new HashMap<>();
        private int records;
        private int keyless;
        private long bytes;

        boolean isWanted() {
            return records < MOST_RECORDS && bytes < MOST_BYTES;
        }

        void add(ConsumerRecord<byte[], byte[]> found) {
            records++;
            bytes += Math.max(0, found.serializedKeySize()) + Math.max(0, found.serializedValueSize());
            byte[] key = found.key();
            if (key == null) {
                keyless++;
            } else {
                long hash = ((long) Arrays.hashCode(key) << 32) ^ (Utils.murmur2(key) & 0xffffffffL);
                counts.merge(hash, 1, Integer::sum);
            }
        }

        int mostFrequent() {
            return counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        }
    }

    @Override
    public void close() {
        read.clear();
    }
}
