package dev.laneway.tracing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.awaitility.Awaitility;

/** A topic of one partition on a real broker, each of whose records was sent in a trace of its own. */
final class TracedTopic {
    static final Duration LIMIT = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final KafkaCluster kafka = EmbeddedKafka.shared();
    final String name;
    final int records;

    private TracedTopic(String name, int records) {
        this.name = name;
        this.records = records;
    }

    static TracedTopic of(int records) {
        return of(records, i -> "key-" + i);
    }

    static TracedTopic of(int records, IntFunction<String> key) {
        TracedTopic topic = new TracedTopic("traced-" + NUMBER.incrementAndGet(), records);
        topic.kafka.createTopic(topic.name, 1);
        List<ProducerRecord<byte[], byte[]>> all = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            Header parent =
                    new RecordHeader("traceparent", ("00-" + trace(i) + "-" + parent(i) + "-01").getBytes(UTF_8));
            Header baggage = new RecordHeader("baggage", ("shop=" + i).getBytes(UTF_8));
            all.add(new ProducerRecord<>(
                    topic.name, 0, key.apply(i).getBytes(UTF_8), ("" + i).getBytes(UTF_8), List.of(parent, baggage)));
        }
        topic.kafka.produce(all);
        return topic;
    }

    /** The trace in which record i was sent. */
    static String trace(long i) {
        return "%032x".formatted(i + 0x1000);
    }

    /** The span in which it was sent. */
    static String parent(long i) {
        return "%016x".formatted(i + 0x2000);
    }

    LanewayBuilder<String, String> consumer() {
        return Laneway.consumer(Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "group.id",
                        name,
                        "auto.offset.reset",
                        "earliest"))
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .name("client-of-" + name)
                .closeOnShutdown(false)
                .subscribe(name);
    }

    /** Another topic, for what is sent. */
    String other(String suffix) {
        kafka.createTopic(name + suffix, 1);
        return name + suffix;
    }

    void awaitDone() {
        Awaitility.await().atMost(LIMIT).until(() -> kafka.isCommittedToEnd(name, name));
    }

    /** The first so many records of another topic that were committed. */
    List<ConsumerRecord<byte[], byte[]>> read(String topic, int count) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        try (Consumer<byte[], byte[]> reader = kafka.consumer(Map.of("isolation.level", "read_committed"))) {
            reader.assign(List.of(new TopicPartition(topic, 0)));
            Awaitility.await().atMost(LIMIT).until(() -> {
                reader.poll(Duration.ofMillis(100)).forEach(all::add);
                return all.size() >= count;
            });
        }
        return all;
    }
}
