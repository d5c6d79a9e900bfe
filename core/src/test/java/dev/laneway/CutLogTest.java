package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("A log that an unclean leader election has cut")
class CutLogTest {
    private static final String TOPIC = "cut";

    private enum Group {
        EARLIEST("classic", "earliest"),
        LATEST("consumer", "latest"),
        NONE("classic", "none");

        private final String protocol;
        private final String reset;

        Group(String protocol, String reset) {
            this.protocol = protocol;
            this.reset = reset;
        }
    }

    @Test
    @DisplayName("B10 B14 committed beyond the end of a log that was cut: what is written there since is handled, or it"
            + " stops, as auto.offset.reset says")
    void committedBeyondTheEnd() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().nodes(3).start()) {
            NewTopic topic = new NewTopic(TOPIC, Map.of(0, List.of(1, 2)))
                    .configs(Map.of("min.insync.replicas", "1", "unclean.leader.election.enable", "true"));
            kafka.admin().createTopics(List.of(topic)).all().get();
            kafka.awaitReady(LIMIT);
            load(kafka, "kept", 60);
            kafka.stop(2);
            load(kafka, "lost", 40);
            // Its commits are on nodes 1 and 3: unlike the records, they outlive node 1.
            for (Group group : Group.values()) {
                Journal journal = new Journal();
                try (Laneway _ = consumer(kafka, group, "earliest").process(journal.note(record -> {}))) {
                    await().atMost(LIMIT).until(() -> journal.size() == 100);
                }
                assertThat(committed(kafka, group)).isEqualTo(100);
            }
            kafka.stop(1);
            kafka.start(2);
            await().atMost(LIMIT).until(() -> kafka.leader(TOPIC, 0).orElse(0) == 2);
            List<String> written = load(kafka, "written since", 20);

            for (Group group : List.of(Group.EARLIEST, Group.LATEST)) {
                Journal journal = new Journal();
                try (Laneway _ = consumer(kafka, group, group.reset).process(journal.note(record -> {}))) {
                    await().atMost(LIMIT).until(() -> committed(kafka, group) == 80);
                }
                assertThat(journal.values()).as(group.name()).containsExactlyInAnyOrderElementsOf(written);
            }
            Laneway none = consumer(kafka, Group.NONE, "none").process(record -> {});
            assertThat(catchThrowable(() -> none.awaitTermination(LIMIT)))
                    .isInstanceOf(BrokerException.class)
                    .hasMessageContaining("was cut below what the group has read and auto.offset.reset is none");
            assertThat(committed(kafka, Group.NONE)).isEqualTo(100);
        }
    }

    @Test
    @DisplayName("B4 B10 B113 cut while it is read: what was undone below the cut is done, what was done there is not"
            + " repeated")
    void undoneBelowTheCut() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().nodes(3).start()) {
            NewTopic topic = new NewTopic(TOPIC, Map.of(0, List.of(1, 2)))
                    .configs(Map.of("min.insync.replicas", "1", "unclean.leader.election.enable", "true"));
            kafka.admin().createTopics(List.of(topic)).all().get();
            kafka.awaitReady(LIMIT);
            load(kafka, "kept", 60);
            kafka.stop(2);
            load(kafka, "lost", 40);
            CountDownLatch never = new CountDownLatch(1);
            AtomicBoolean first = new AtomicBoolean(true);
            Journal journal = new Journal();
            try (Laneway _ = consumer(kafka, Group.EARLIEST, "earliest")
                    .concurrency(200)
                    .commit(CommitMode.async(Duration.ofMillis(100)))
                    .process(journal.note(record -> {
                        if (record.offset() == 30 && first.getAndSet(false)) {
                            never.await();
                        }
                    }))) {
                await().atMost(LIMIT).until(() -> journal.size() == 99);
                AtomicReference<String> map = new AtomicReference<>("");
                await("the last map")
                        .atMost(LIMIT)
                        .during(Duration.ofSeconds(2))
                        .until(() -> {
                            String now = metadata(kafka);
                            return now.equals(map.getAndSet(now)) && !now.isEmpty();
                        });
                assertThat(committed(kafka, Group.EARLIEST)).isEqualTo(30);
                kafka.stop(1);
                kafka.start(2);
                await().atMost(LIMIT).until(() -> kafka.leader(TOPIC, 0).orElse(0) == 2);
                List<String> written = load(kafka, "written since", 20);
                await().atMost(LIMIT).until(() -> committed(kafka, Group.EARLIEST) == 80);
                assertThat(journal.values()).contains("kept 30").containsAll(written);
                assertThat(journal.values().stream().filter(value -> value.startsWith("kept")))
                        .as("each of them once")
                        .hasSize(60);
            }
        }
    }

    private static LanewayBuilder<String, String> consumer(EmbeddedKafka kafka, Group group, String reset) {
        Map<String, Object> config = new HashMap<>(Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "group.id",
                group.name(),
                "group.protocol",
                group.protocol,
                "auto.offset.reset",
                reset));
        return Laneway.consumer(config)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(TOPIC)
                .closeLimit(Duration.ofSeconds(10))
                .closeOnShutdown(false);
    }

    private static long committed(EmbeddedKafka kafka, Group group) {
        return kafka.committed(group.name()).get(new TopicPartition(TOPIC, 0)).offset();
    }

    private static String metadata(EmbeddedKafka kafka) {
        OffsetAndMetadata offset = kafka.committed(Group.EARLIEST.name()).get(new TopicPartition(TOPIC, 0));
        return offset == null ? "" : offset.metadata();
    }

    private static List<String> load(EmbeddedKafka kafka, String what, int records) {
        List<String> values =
                IntStream.range(0, records).mapToObj(i -> what + " " + i).toList();
        values.forEach(value -> kafka.produce(TOPIC, value, value));
        return values;
    }
}
