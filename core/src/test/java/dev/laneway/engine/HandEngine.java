package dev.laneway.engine;

import dev.laneway.AsyncHandler;
import dev.laneway.Options;
import dev.laneway.RebalanceListener;
import dev.laneway.engine.config.KafkaConfig;
import dev.laneway.engine.config.RecordBudget;
import dev.laneway.engine.config.TopicSelection;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.runtime.ObserverCalls;
import dev.laneway.engine.track.Chunk;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A whole member on one thread: a test takes its turns, and says what the group and the broker do. */
public final class HandEngine {
    public static final Duration DRAIN_LIMIT = Duration.ofSeconds(10);

    public final HandHost host = new HandHost();
    public final HandConsumer consumer = new HandConsumer();
    final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    final MemberWiring parts;
    public final Engine engine;

    HandEngine(Options options, AsyncHandler<byte[], byte[]> handler) {
        this(options, DRAIN_LIMIT, handler);
    }

    HandEngine(Options options, Duration drainLimit, AsyncHandler<byte[], byte[]> handler) {
        this(options, drainLimit, false, handler);
    }

    public HandEngine(
            Options options, Duration drainLimit, boolean consumerProtocol, AsyncHandler<byte[], byte[]> handler) {
        Map<String, Object> properties = Map.of(
                ConsumerConfig.GROUP_ID_CONFIG,
                "group",
                ConsumerConfig.GROUP_PROTOCOL_CONFIG,
                consumerProtocol ? "consumer" : "classic",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                1_000,
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                1 << 20,
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                50 << 20);
        MemberWiring.Plan plan = new MemberWiring.Plan(
                new MemberShare("member", options.workers(), options.concurrency()),
                new TopicSelection.Topics(List.of("orders")),
                new KafkaConfig(properties, Map.of(), RecordBudget.fixed(10_000), options.bufferBytes(), false, false),
                drainLimit);
        parts = MemberWiring.of(
                host,
                options,
                plan,
                new HandlerSpec.Async<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), handler),
                new RebalanceListener() {},
                consumer,
                () -> {
                    throw new IllegalStateException("nothing is spilled by hand");
                },
                () -> producer,
                number -> producer);
        engine = new Engine(parts);
        host.onPark = host::runWorkers;
        parts.committer().make();
        ObserverCalls observers = parts.core().counts().observers;
        if (observers != null) {
            observers.begin(options.observers().stream()
                    .map(factory -> factory.observe(null))
                    .toList());
        }
        engine.start();
    }

    /** The group's assignment becomes this one. */
    public HandEngine assign(TopicPartition... ids) {
        return assign(Long.MAX_VALUE, ids);
    }

    /** The group's assignment becomes this one, of partitions whose logs end here. */
    HandEngine assign(long end, TopicPartition... ids) {
        Map<TopicPartition, Long> beginning = new HashMap<>();
        Arrays.stream(ids).forEach(id -> beginning.put(id, 0L));
        consumer.updateBeginningOffsets(beginning);
        consumer.updateEndOffsets(beginning.keySet().stream().collect(Collectors.toMap(id -> id, id -> end)));
        consumer.rebalance(List.of(ids));
        return this;
    }

    /** The next poll returns these records. */
    public HandEngine polled(Chunk chunk) {
        chunk.records.forEach(consumer::addRecord);
        return this;
    }

    /** A turn, and the workers' work that it brought, and so on for a while. */
    public HandEngine turn() {
        for (int i = 0; i < 3; i++) {
            engine.step();
            host.runWorkers();
        }
        return this;
    }

    Partition partition(TopicPartition id) {
        Partition partition = parts.core().assignment().get(id);
        if (partition == null) {
            throw new AssertionError(id + " is not assigned");
        }
        return partition;
    }

    /** What the group has of a partition: offset, and the offsets below the map's end that are done. */
    DecodedMetadata decoded(TopicPartition id) {
        Progress progress = partition(id).track.progress(OffsetMap.DEFAULT_LIMIT);
        return OffsetMap.decode(id, progress.offset(), progress.metadata());
    }
}
