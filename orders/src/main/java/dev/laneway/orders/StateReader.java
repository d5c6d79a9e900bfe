package dev.laneway.orders;

import dev.laneway.orders.status.OrderJson;
import dev.laneway.orders.status.OrderState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the latest state of each order of some partitions. Thread-safe.
 *
 * <h2>When all has been read</h2>
 *
 * Whatever is in a commit of an earlier owner must be read. A transaction is decided before all of its partitions show
 * that it is, so first the commits of the group are asked for until none is undecided: a process that lost a partition
 * can commit nothing of it any more. Then the end of the log is asked for, with what is undecided or aborted, and what
 * is committed is read up to there. If a process died in a transaction, that waits until the broker has aborted it.
 */
final class StateReader {
    private static final Logger LOG = LoggerFactory.getLogger(StateReader.class);
    private static final Duration POLL_LIMIT = Duration.ofMillis(200);
    private static final long UNDECIDED_PAUSE_MILLIS = 500;
    private static final long FAILURE_PAUSE_MILLIS = 1_000;

    private final Map<String, Object> kafkaConfig;
    private final String group;
    private final OwnTopics own;
    private final Duration forgetAfter;
    private final LongSupplier nowMillis;

    StateReader(
            Map<String, Object> kafkaConfig,
            String group,
            OwnTopics own,
            Duration forgetAfter,
            LongSupplier nowMillis) {
        this.kafkaConfig = kafkaConfig;
        this.group = group;
        this.own = own;
        this.forgetAfter = forgetAfter;
        this.nowMillis = nowMillis;
    }

    /**
     * Completes all of these, for as long as brokers are away not before they are back; leaves out what is cancelled.
     */
    void read(Map<Integer, CompletableFuture<PartitionOrders>> wanted) {
        try {
            while (!readOnce(wanted)) {
                TimeUnit.MILLISECONDS.sleep(FAILURE_PAUSE_MILLIS);
            }
        } catch (InterruptedException | org.apache.kafka.common.errors.InterruptException over) {
            wanted.values().forEach(each -> each.cancel(false));
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error failed) {
            wanted.values().forEach(each -> each.completeExceptionally(failed));
        }
    }

    /** Returns false if it is to be tried again. */
    private boolean readOnce(Map<Integer, CompletableFuture<PartitionOrders>> wanted) throws InterruptedException {
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        config.keySet()
                .removeAll(Set.of(
                        ConsumerConfig.GROUP_ID_CONFIG,
                        ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                        ConsumerConfig.CLIENT_ID_CONFIG));
        try (Admin admin = Admin.create(config)) {
            config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
            config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
            config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
            awaitDecided(admin, wanted);
            Map<TopicPartition, Long> ends = ends(admin, undone(wanted));
            try (Consumer<byte[], byte[]> consumer =
                    new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                read(consumer, ends, wanted);
            }
            return true;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RetriableException retriable) {
                LOG.warn("{} cannot be read now, and is tried again: {}", own.state(), retriable.toString());
                return false;
            }
            throw new IllegalStateException(own.state() + " cannot be read: " + failed.getCause(), failed);
        } catch (RetriableException retriable) {
            LOG.warn("{} cannot be read now, and is tried again: {}", own.state(), retriable.toString());
            return false;
        }
    }

    private static Set<Integer> undone(Map<Integer, CompletableFuture<PartitionOrders>> wanted) {
        return wanted.entrySet().stream()
                .filter(each -> !each.getValue().isDone())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** What the answer leaves out is undecided; without a commit a partition has null. */
    private void awaitDecided(Admin admin, Map<Integer, CompletableFuture<PartitionOrders>> wanted)
            throws InterruptedException, ExecutionException {
        ListConsumerGroupOffsetsOptions stable = new ListConsumerGroupOffsetsOptions().requireStable(true);
        while (true) {
            Set<TopicPartition> asked = partitions(own.events(), undone(wanted));
            if (asked.isEmpty()) {
                return;
            }
            Set<TopicPartition> decided = admin.listConsumerGroupOffsets(
                            Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(asked)), stable)
                    .partitionsToOffsetAndMetadata(group)
                    .get()
                    .keySet();
            if (decided.containsAll(asked)) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(UNDECIDED_PAUSE_MILLIS);
        }
    }

    private Map<TopicPartition, Long> ends(Admin admin, Collection<Integer> numbers)
            throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> latest = partitions(own.state(), numbers).stream()
                .collect(Collectors.toMap(each -> each, _ -> OffsetSpec.latest()));
        return admin.listOffsets(latest).all().get().entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().offset()));
    }

    private static Set<TopicPartition> partitions(String topic, Collection<Integer> numbers) {
        return numbers.stream().map(number -> new TopicPartition(topic, number)).collect(Collectors.toSet());
    }

    private void read(
            Consumer<byte[], byte[]> consumer,
            Map<TopicPartition, Long> ends,
            Map<Integer, CompletableFuture<PartitionOrders>> wanted) {
        Map<Integer, ConcurrentHashMap<String, OrderState>> found = new HashMap<>();
        wanted.keySet().forEach(number -> found.put(number, new ConcurrentHashMap<>()));
        Set<TopicPartition> left = new HashSet<>(ends.keySet());
        consumer.assign(left);
        consumer.seekToBeginning(left);
        while (true) {
            for (TopicPartition each : Set.copyOf(left)) {
                CompletableFuture<PartitionOrders> future = Objects.requireNonNull(wanted.get(each.partition()));
                if (future.isDone()) {
                    left.remove(each);
                    consumer.pause(Set.of(each));
                } else if (consumer.position(each) >= Objects.requireNonNull(ends.get(each))) {
                    var states = Objects.requireNonNull(found.get(each.partition()));
                    future.complete(new PartitionOrders(states, forgetAfter, nowMillis.getAsLong()));
                    left.remove(each);
                    consumer.pause(Set.of(each));
                }
            }
            if (left.isEmpty()) {
                return;
            }
            consumer.poll(POLL_LIMIT)
                    .forEach(record -> take(record, Objects.requireNonNull(found.get(record.partition()))));
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record, Map<String, OrderState> states) {
        String order = new String(record.key(), StandardCharsets.UTF_8);
        if (record.value() == null) {
            states.remove(order);
            return;
        }
        try {
            states.put(order, OrderJson.state(record.value()));
        } catch (IllegalArgumentException malformed) {
            throw new IllegalStateException(
                    own.state() + "-" + record.partition() + " has no state at offset " + record.offset() + ": "
                            + malformed.getMessage() + ": find out who else writes there",
                    malformed);
        }
    }
}
