package dev.laneway.testkit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The ground that the contract's tests stand on. Each test has a topic and a group of its own, so that they share a
 * real broker; the same tests run against the simulation, and neither knows which it is.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // Each test has a topic and a group of its own, and mostly waits.
abstract class KafkaContract {
    static final Duration SOON = Duration.ofMillis(25);
    static final Duration LONG = Duration.ofSeconds(20);

    private static final AtomicInteger NAMES = new AtomicInteger();

    final Members members = new Members();
    private final List<Consumer<byte[], byte[]>> loose = new ArrayList<>();
    ContractCluster cluster;
    String topic;
    String group;

    public abstract ContractCluster connect();

    @BeforeEach
    void name(TestInfo test) {
        cluster = connect();
        String name = test.getTestMethod().orElseThrow().getName() + "-" + NAMES.incrementAndGet();
        topic = name;
        group = "group-" + name;
    }

    @AfterEach
    void closeMembers() {
        members.close();
        loose.forEach(Consumer::close);
    }

    TopicPartition partition(int number) {
        return new TopicPartition(topic, number);
    }

    /** A topic with so many records in each partition: values 0, 1, 2 and so on, in each of them. */
    void topicWith(int partitions, int recordsEach) {
        cluster.createTopic(topic, partitions);
        for (int i = 0; i < partitions; i++) {
            append(i, 0, recordsEach);
        }
    }

    void append(int partition, int from, int to) {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = from; i < to; i++) {
            records.add(record(partition, null, Integer.toString(i)));
        }
        cluster.append(records);
    }

    ProducerRecord<byte[], byte[]> record(int partition, String key, String value) {
        return new ProducerRecord<>(
                topic, partition, key == null ? null : bytes(key), value == null ? null : bytes(value));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A member of the test's group, subscribed to its topic, polled with the others. */
    Members.Member join(String name, GroupKind kind) {
        return join(name, kind, Map.of());
    }

    Members.Member join(String name, GroupKind kind, Map<String, ?> properties) {
        Map<String, Object> all = new TreeMap<>(Map.of("group.id", group));
        if (kind != GroupKind.CONSUMER) {
            all.put("heartbeat.interval.ms", 100);
            all.put("session.timeout.ms", 6_000);
        }
        all.putAll(properties);
        Members.Member member = members.add(name, cluster.consumer(kind.with(all)));
        member.consumer.subscribe(List.of(topic), member);
        return member;
    }

    /** A consumer of the test's group with all partitions of the topic assigned by hand. */
    Consumer<byte[], byte[]> assigned(Map<String, ?> properties, TopicPartition... partitions) {
        Consumer<byte[], byte[]> consumer = loose(properties);
        consumer.assign(List.of(partitions));
        return consumer;
    }

    Consumer<byte[], byte[]> loose(Map<String, ?> properties) {
        Map<String, Object> all = new TreeMap<>(Map.of("group.id", group));
        all.putAll(properties);
        Consumer<byte[], byte[]> consumer = cluster.consumer(GroupKind.EAGER.with(all));
        loose.add(consumer);
        return consumer;
    }
}
