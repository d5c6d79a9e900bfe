package dev.laneway.cli;

import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.Ordering;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The cluster that is measured on: loads the topics and runs over them, each time as a new group. Used by one thread.
 */
final class BenchBed {
    private static final int MAX_POLL_RECORDS = 1_000;

    private final Map<String, Object> kafkaConfig;
    private final Cluster cluster;
    private final BenchRun run;
    private final Stop stop;
    private final String prefix = "laneway-bench-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
    private final Map<BenchTopic, Loaded> topics = new EnumMap<>(BenchTopic.class);
    private final List<String> created = new ArrayList<>();
    private final List<String> groups = new ArrayList<>();

    BenchBed(Map<String, Object> kafkaConfig, Cluster cluster, Stop stop, ParallelRun.Guard guard) {
        this.kafkaConfig = new HashMap<>(kafkaConfig);
        // Both sides poll alike.
        this.kafkaConfig.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
        this.cluster = cluster;
        this.stop = stop;
        this.run = new BenchRun(stop, guard);
    }

    /**
     * What a run took. Immutable.
     *
     * @param nanos from before the consumer is made to the end of the last handler
     * @param workedNanos from the start of the first handler
     */
    record Time(long records, long nanos, long workedNanos) {
        /** Records a second, the join included. */
        double rate() {
            return records / (nanos / 1e9);
        }

        /** Records a second, without the join. */
        double workedRate() {
            return records / (workedNanos / 1e9);
        }
    }

    private record Loaded(String name, long records, List<Long> ends) {}

    /** Creates and fills a topic. */
    void load(BenchTopic topic, double scale) {
        String name = prefix + "-" + topic.label();
        created.add(name);
        int partitions = cluster.ensureTopic(name, topic.partitions());
        Loader.Plan plan = topic.plan(name, scale);
        new Loader(kafkaConfig, plan, topic.keysOf(plan)).run(stop::isRequested);
        Map<TopicPartition, Long> byPartition = cluster.endOffsets(name, partitions);
        List<Long> ends = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            ends.add(byPartition.getOrDefault(new TopicPartition(name, partition), 0L));
        }
        topics.put(topic, new Loaded(name, plan.records(), ends));
    }

    /** A bare poll loop. */
    Time loop(BenchTopic topic) throws InterruptedException {
        Loaded loaded = loaded(topic);
        BenchProbe.Noop<byte[], byte[]> probe = new BenchProbe.Noop<>(loaded.ends());
        Map<String, Object> config = newGroup();
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        long nanos = run.loop(() -> subscribed(config, loaded.name()), loaded.records(), probe::handle);
        return new Time(loaded.records(), nanos, nanos);
    }

    private static Consumer<byte[], byte[]> subscribed(Map<String, Object> config, String topic) {
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.subscribe(List.of(topic));
        return consumer;
    }

    /** Laneway with default options and a handler that does nothing. */
    Time noop(BenchTopic topic, Ordering ordering) throws InterruptedException {
        Loaded loaded = loaded(topic);
        long nanos = laneway(loaded, new BenchProbe.Noop<>(loaded.ends()), laneway -> laneway.ordering(ordering));
        return new Time(loaded.records(), nanos, nanos);
    }

    /** Laneway in key order with a handler that waits. */
    Time waiting(BenchTopic topic, int concurrency, Duration work) throws InterruptedException {
        Loaded loaded = loaded(topic);
        BenchProbe.Waiting<byte[], byte[]> probe = new BenchProbe.Waiting<>(loaded.records(), work);
        long started = System.nanoTime();
        long nanos = laneway(loaded, probe, laneway -> laneway.concurrency(concurrency));
        return new Time(loaded.records(), nanos, nanos - (probe.firstStartNanos() - started));
    }

    /** What a run changes of the default options. */
    private interface Setting {
        LanewayBuilder<byte[], byte[]> of(LanewayBuilder<byte[], byte[]> laneway);
    }

    private long laneway(Loaded topic, BenchProbe<byte[], byte[]> probe, Setting setting) throws InterruptedException {
        Map<String, Object> config = newGroup();
        String group = groups.getLast();
        LanewayBuilder<byte[], byte[]> description =
                setting.of(Laneway.consumer(config).subscribe(topic.name()));
        long nanos = run.laneway(description, probe, topic.records(), () -> {});
        if (!cluster.isAllCommitted(group, topic.name(), topic.ends().size())) {
            throw new VerbFailure("Laneway has not committed the end of " + topic.name() + " as group " + group);
        }
        return nanos;
    }

    private Map<String, Object> newGroup() {
        String group = prefix + "-" + groups.size();
        groups.add(group);
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        return config;
    }

    private Loaded loaded(BenchTopic topic) {
        Loaded loaded = topics.get(topic);
        if (loaded == null) {
            throw new IllegalStateException(topic + " is not loaded");
        }
        return loaded;
    }

    /** Deletes every topic and group that was made here. */
    void deleteAll() {
        cluster.deleteQuietly(created, groups);
    }
}
