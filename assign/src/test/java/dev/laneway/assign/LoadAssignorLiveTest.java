package dev.laneway.assign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.Laneway;
import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Consumers, and members of Laneway, that set the assignor, on a real broker. */
class LoadAssignorLiveTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int PARTITIONS = 7;

    private final String topic = "assigned-" + UUID.randomUUID();
    private final List<AutoCloseable> all = new ArrayList<>();

    /** A consumer that is polled by its own thread. */
    private final class Member implements AutoCloseable {
        private final Consumer<byte[], byte[]> consumer;
        private final Thread thread;
        private volatile Set<TopicPartition> assigned = Set.of();
        private volatile boolean closed;

        Member(String assignors) {
            consumer = KAFKA.consumer(config(assignors));
            consumer.subscribe(List.of(topic));
            thread = Thread.ofPlatform().start(() -> {
                while (!closed) {
                    consumer.poll(Duration.ofMillis(50));
                    assigned = consumer.assignment();
                }
                consumer.close();
            });
            all.add(this);
        }

        @Override
        public void close() {
            closed = true;
            assertThat(join(thread)).isTrue();
            assigned = Set.of();
        }
    }

    private static boolean join(Thread thread) {
        try {
            return thread.join(LIMIT);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Map<String, Object> config(String assignors) {
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, KAFKA.bootstrapServers());
        config.put(ConsumerConfig.GROUP_ID_CONFIG, topic);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, assignors);
        return config;
    }

    /** Partition 3 has as much as all others. */
    @BeforeEach
    void load() {
        KAFKA.createTopic(topic, PARTITIONS);
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int record = 0; record < (partition == 3 ? 1_200 : 200); record++) {
                records.add(new ProducerRecord<>(topic, partition, null, new byte[4]));
            }
        }
        KAFKA.produce(records);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : all) {
            each.close();
        }
    }

    private static void awaitSizes(List<Member> members, Integer... sizes) {
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(members.stream()
                                .map(member -> member.assigned.size())
                                .sorted()
                                .toList())
                        .containsExactly(sizes));
    }

    @Test
    @DisplayName("B207 On a real broker the hot partition's member has no other, also after one has come and gone")
    void shares() throws Exception {
        List<Member> members = new ArrayList<>();
        members.add(new Member(LoadAssignor.class.getName()));
        members.add(new Member(LoadAssignor.class.getName()));
        awaitSizes(members, 1, 6);
        members.add(new Member(LoadAssignor.class.getName()));
        awaitSizes(members, 1, 3, 3);
        Member hot = members.stream()
                .filter(member -> member.assigned.size() == 1)
                .findFirst()
                .orElseThrow();
        assertThat(hot.assigned).containsExactly(new TopicPartition(topic, 3));
        members.remove(hot);
        hot.close();
        awaitSizes(members, 1, 6);
    }

    @Test
    @DisplayName("B207 A group of RangeAssignor changes over in two rounds of restarts")
    void upgrade() throws Exception {
        String range = RangeAssignor.class.getName();
        String load = LoadAssignor.class.getName();
        List<Member> members = new ArrayList<>(List.of(new Member(range), new Member(range)));
        awaitSizes(members, 3, 4);
        for (String next : List.of(load + "," + range, load)) {
            for (int member = 0; member < 2; member++) {
                members.get(member).close();
                members.set(member, new Member(next));
                await().atMost(LIMIT)
                        .until(() -> members.stream()
                                                .mapToInt(each -> each.assigned.size())
                                                .sum()
                                        == PARTITIONS
                                && members.stream().noneMatch(each -> each.assigned.isEmpty()));
            }
        }
        awaitSizes(members, 1, 6);
    }

    @Test
    @DisplayName("B207 Members of Laneway take the assignor as any consumer does, and handle each record")
    void laneway() {
        AtomicInteger handled = new AtomicInteger();
        AtomicInteger hot = new AtomicInteger();
        Map<String, Object> config = config(LoadAssignor.class.getName());
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        for (int member = 0; member < 2; member++) {
            all.add(Laneway.consumer(config).subscribe(topic).process(record -> {
                handled.incrementAndGet();
                if (record.partition() == 3) {
                    hot.incrementAndGet();
                }
            }));
        }
        await().atMost(LIMIT).untilAsserted(() -> assertThat(handled).hasValue(2_400));
        assertThat(hot).hasValue(1_200);
    }

    @Test
    @DisplayName("B207 A wrong setting keeps a consumer from being made, and the message names it")
    void refuses() {
        Map<String, Object> config = config(LoadAssignor.class.getName());
        config.put("laneway.assignor.tolerance", "7");
        assertThatThrownBy(() -> KAFKA.consumer(config))
                .isInstanceOf(KafkaException.class)
                .rootCause()
                .hasMessageContaining("laneway.assignor.tolerance");
    }
}
