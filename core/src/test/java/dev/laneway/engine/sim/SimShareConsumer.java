package dev.laneway.engine.sim;

import dev.laneway.testkit.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.AcknowledgementCommitCallback;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.jspecify.annotations.Nullable;

/**
 * A share consumer that acknowledges explicitly, as kafka-clients 4.3.1 behaves. Its blocking calls wait in virtual
 * time.
 *
 * <p>What was easy to get wrong: a poll throws while a record that was returned has no acknowledgement; a renewal takes
 * the record away until the broker has answered and another poll returns it; answers are told inside poll and commits;
 * a fetch goes on behind a poll that has ended, and what it acquires waits here, with its locks running.
 */
final class SimShareConsumer implements ShareConsumer<byte[], byte[]> {
    private static final Uuid TOPIC = new Uuid(7, 7);

    private record Told(
            TopicIdPartition id,
            Set<Long> offsets,
            @Nullable RuntimeException failure) {}

    private final SimShareWorld world;
    private final Simulation sim;
    private final SimShareProcess process;
    private final SimShareLink link;
    private final Map<TopicPartition, TreeMap<Long, ConsumerRecord<byte[], byte[]>>> current = new LinkedHashMap<>();
    private final Map<TopicPartition, Map<Long, AcknowledgeType>> acks = new LinkedHashMap<>();
    private final Map<TopicPartition, Map<Long, ConsumerRecord<byte[], byte[]>>> renewing = new LinkedHashMap<>();
    private final List<ConsumerRecord<byte[], byte[]>> renewed = new ArrayList<>();
    private final List<ConsumerRecord<byte[], byte[]>> buffer = new ArrayList<>();
    private final List<Told> told = new ArrayList<>();
    private @Nullable AcknowledgementCommitCallback callback;
    private Set<String> topics = Set.of();
    private boolean fetchMore;
    private boolean fetching;
    private boolean mayFetch;
    private boolean woken;
    private boolean closed;
    private boolean dead;
    private boolean inCallback;
    private boolean knowsLock;

    SimShareConsumer(SimShareWorld world, SimShareProcess process, SimShareLink link) {
        this.world = world;
        this.sim = world.sim;
        this.process = process;
        this.link = link;
    }

    /** The process is dead: nothing goes on. */
    void kill() {
        dead = true;
        link.die();
    }

    private void enter() {
        if (dead) {
            throw new IllegalStateException("the process is dead");
        }
        if (closed) {
            throw new IllegalStateException("This consumer has already been closed.");
        }
        if (inCallback) {
            throw new IllegalStateException("KafkaShareConsumer methods are not accessible from user-defined"
                    + " acknowledgement commit callback.");
        }
    }

    /** False when the time was over first. */
    private boolean await(BooleanSupplier condition, Duration limit) {
        sim.await(() -> condition.getAsBoolean() || woken || dead, limit);
        enter();
        return condition.getAsBoolean();
    }

    private void throwIfWoken() {
        if (woken) {
            woken = false;
            throw new WakeupException();
        }
    }

    // ---------------------------------------------------------------- polling

    @Override
    public void subscribe(Collection<String> names) {
        enter();
        topics = Set.copyOf(names);
    }

    @Override
    public Set<String> subscription() {
        return topics;
    }

    @Override
    public void unsubscribe() {
        enter();
        topics = Set.of();
        fetchMore = false;
        buffer.clear(); // Their locks run out.
        world.group.leave(process.name);
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        enter();
        long untilNanos = sim.clock().nanoTime() + timeout.toNanos();
        if (world.pollFails()) {
            link.trouble();
            throw new CoordinatorNotAvailableException("simulated");
        }
        tell();
        if (current.entrySet().stream()
                .anyMatch(one -> one.getValue().size() > acksOf(one.getKey()).size())) {
            throw new IllegalStateException("All records must be acknowledged in explicit acknowledgement mode.");
        }
        if (topics.isEmpty()) {
            throw new IllegalStateException("Consumer is not subscribed to any topics.");
        }
        mayFetch = true;
        while (true) {
            throwIfWoken();
            collect(takeAcks());
            if (current.isEmpty()) {
                long left = untilNanos - sim.clock().nanoTime();
                await(() -> !buffer.isEmpty(), Duration.ofNanos(Math.max(0, left)));
                throwIfWoken();
                collect(Map.of());
            }
            if (!current.isEmpty()) {
                tell();
                return returned();
            }
            if (sim.clock().nanoTime() >= untilNanos) {
                tell();
                return ConsumerRecords.empty();
            }
        }
    }

    private Map<Long, AcknowledgeType> acksOf(TopicPartition id) {
        return acks.getOrDefault(id, Map.of());
    }

    private void collect(Map<TopicPartition, Map<Long, AcknowledgeType>> pending) {
        Map<TopicPartition, Map<Long, AcknowledgeType>> left = pending;
        if (current.isEmpty() && !hasRenewals()) {
            if (!buffer.isEmpty()) {
                buffer.forEach(this::place);
                buffer.clear();
                knowsLock = true;
            } else if (mayFetch) {
                fetch(left);
                left = Map.of();
            }
        } else if (hasRenewals()) {
            renewed.forEach(this::place);
            renewed.clear();
            if (hasRenewals() && mayFetch) {
                fetch(left);
                left = Map.of();
            }
        }
        if (!left.isEmpty()) {
            var _ = send(left);
        }
    }

    private void place(ConsumerRecord<byte[], byte[]> record) {
        current.computeIfAbsent(id(record), none -> new TreeMap<>()).put(record.offset(), record);
    }

    private boolean hasRenewals() {
        return !renewing.isEmpty() || !renewed.isEmpty();
    }

    private ConsumerRecords<byte[], byte[]> returned() {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new LinkedHashMap<>();
        current.forEach((id, some) -> records.put(id, List.copyOf(some.values())));
        records.values().forEach(some -> some.forEach(process::polled));
        return new ConsumerRecords<>(records, Map.of());
    }

    /** Fetches until something comes, also behind the poll. */
    private void fetch(Map<TopicPartition, Map<Long, AcknowledgeType>> with) {
        mayFetch = false;
        fetchMore = true;
        if (!fetching) {
            request(with);
        } else if (!with.isEmpty()) {
            var _ = send(with);
        }
    }

    private void request(Map<TopicPartition, Map<Long, AcknowledgeType>> with) {
        fetching = true;
        // A request that renews acquires nothing.
        boolean renews = with.values().stream().anyMatch(some -> some.containsValue(AcknowledgeType.RENEW));
        link.send(new SimShareLink.Request(with, renews ? 0 : world.plan.maxPollRecords, answer -> {
            fetching = false;
            answered(with, answer);
            if (!answer.records().isEmpty()) {
                fetchMore = false;
                if (!topics.isEmpty()) {
                    buffer.addAll(answer.records());
                }
            } else if (fetchMore) {
                sim.clock().schedule(Duration.ofMillis(10), () -> {
                    if (fetchMore && !fetching && !dead && !closed) {
                        request(Map.of());
                    }
                });
            }
        }));
    }

    // ---------------------------------------------------------------- acknowledging

    @Override
    public void acknowledge(ConsumerRecord<byte[], byte[]> record) {
        acknowledge(record, AcknowledgeType.ACCEPT);
    }

    @Override
    public void acknowledge(ConsumerRecord<byte[], byte[]> record, AcknowledgeType type) {
        enter();
        TopicPartition id = id(record);
        if (!current.containsKey(id) || !current.get(id).containsKey(record.offset())) {
            throw new IllegalStateException("The record cannot be acknowledged.");
        }
        process.acknowledges(id, record.offset(), type);
        acks.computeIfAbsent(id, none -> new TreeMap<>()).put(record.offset(), type);
    }

    @Override
    public void acknowledge(String topic, int partition, long offset, AcknowledgeType type) {
        throw new UnsupportedOperationException();
    }

    private Map<TopicPartition, Map<Long, AcknowledgeType>> takeAcks() {
        Map<TopicPartition, Map<Long, AcknowledgeType>> taken = new LinkedHashMap<>(acks);
        acks.clear();
        taken.forEach((id, some) -> some.forEach((offset, type) -> {
            ConsumerRecord<byte[], byte[]> record = current.get(id).remove(offset);
            if (type == AcknowledgeType.RENEW) {
                renewing.computeIfAbsent(id, none -> new TreeMap<>()).put(offset, record);
            }
        }));
        current.values().removeIf(Map::isEmpty);
        return taken;
    }

    private CompletableFuture<SimShareLink.Answer> send(Map<TopicPartition, Map<Long, AcknowledgeType>> some) {
        CompletableFuture<SimShareLink.Answer> answered = new CompletableFuture<>();
        link.send(new SimShareLink.Request(some, -1, answer -> {
            answered(some, answer);
            answered.complete(answer);
        }));
        return answered;
    }

    private void answered(Map<TopicPartition, Map<Long, AcknowledgeType>> said, SimShareLink.Answer answer) {
        said.forEach((id, some) -> {
            RuntimeException failure = answer.failures().get(id);
            told.add(new Told(new TopicIdPartition(TOPIC, id), new TreeSet<>(some.keySet()), failure));
        });
    }

    /** Makes of answers what the caller sees: only inside poll and commits. */
    private void tell() {
        List<Told> now = List.copyOf(told);
        told.clear();
        for (Told one : now) {
            Map<Long, ConsumerRecord<byte[], byte[]>> waiting =
                    renewing.getOrDefault(one.id.topicPartition(), new TreeMap<>());
            for (long offset : one.offsets) {
                ConsumerRecord<byte[], byte[]> record = waiting.remove(offset);
                if (record != null && one.failure == null) {
                    renewed.add(record);
                }
            }
        }
        renewing.values().removeIf(Map::isEmpty);
        AcknowledgementCommitCallback engine = callback;
        if (engine != null) {
            inCallback = true;
            try {
                now.forEach(one -> {
                    process.tells(one.id.topicPartition(), one.offsets, one.failure);
                    engine.onComplete(Map.of(one.id, one.offsets), one.failure);
                });
            } finally {
                inCallback = false;
            }
        }
    }

    @Override
    public Map<TopicIdPartition, Optional<KafkaException>> commitSync() {
        return commitSync(Duration.ofMinutes(1));
    }

    @Override
    public Map<TopicIdPartition, Optional<KafkaException>> commitSync(Duration timeout) {
        enter();
        tell();
        Map<TopicPartition, Map<Long, AcknowledgeType>> some = takeAcks();
        if (some.isEmpty()) {
            return Map.of();
        }
        CompletableFuture<SimShareLink.Answer> answered = send(some);
        boolean isAnswered = await(answered::isDone, timeout);
        throwIfWoken();
        if (!isAnswered) {
            throw new TimeoutException("simulated");
        }
        SimShareLink.Answer answer = answered.join();
        tell();
        Map<TopicIdPartition, Optional<KafkaException>> result = new HashMap<>();
        some.keySet()
                .forEach(id -> result.put(new TopicIdPartition(TOPIC, id), Optional.ofNullable((KafkaException)
                        answer.failures().get(id))));
        return result;
    }

    @Override
    public void commitAsync() {
        enter();
        tell();
        Map<TopicPartition, Map<Long, AcknowledgeType>> some = takeAcks();
        if (!some.isEmpty()) {
            var _ = send(some);
        }
    }

    @Override
    public void setAcknowledgementCommitCallback(AcknowledgementCommitCallback asked) {
        enter();
        callback = asked;
    }

    // ---------------------------------------------------------------- the rest

    @Override
    public void wakeup() {
        if (!closed) {
            woken = true;
        }
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(30));
    }

    @Override
    public void close(Duration timeout) {
        if (closed || dead) {
            return;
        }
        Map<TopicPartition, Map<Long, AcknowledgeType>> some = takeAcks();
        if (!some.isEmpty()) {
            var _ = send(some);
        }
        fetchMore = false;
        world.group.leave(process.name);
        sim.await(() -> link.isIdle() || dead, timeout);
        if (dead) {
            return;
        }
        tell();
        closed = true;
        if (world.isAway() || link.isTroubledSince(sim.clock().nanoTime())) {
            sim.trace().event("unsaid", process.name); // Its locks run out.
        } else {
            world.group.end(process.name);
        }
        link.die();
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Integer> acquisitionLockTimeoutMs() {
        return knowsLock ? Optional.of(world.group.lockMillis()) : Optional.empty();
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return Map.of();
    }

    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {}

    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {}

    private static TopicPartition id(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }
}
