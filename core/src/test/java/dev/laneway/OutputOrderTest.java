package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@DisplayName("Outputs and an outage of the brokers that they go to")
class OutputOrderTest {
    private static final int RECORDS = 600;
    private static final int KEYS = 7;

    @Test
    @DisplayName("B111 an outage longer than the producer's delivery.timeout.ms leaves each key's outputs in order")
    void outage() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().network("out").start()) {
            Stage stage = Stage.on(kafka, 2);
            String out = stage.topic + ".out";
            kafka.createTopic(out, 3);
            Map<String, Object> producing = new HashMap<>(Map.of(
                    "bootstrap.servers",
                    kafka.network("out").bootstrapServers(),
                    "request.timeout.ms",
                    1_000,
                    "delivery.timeout.ms",
                    1_500,
                    "linger.ms",
                    0,
                    "reconnect.backoff.max.ms",
                    200));
            try (Laneway laneway = stage.consumer()
                    .producer(producing)
                    .commit(CommitMode.async(millis(100)))
                    .transform(
                            new StringSerializer(),
                            new StringSerializer(),
                            record -> List.of(new ProducerRecord<>(out, record.key(), record.value())))) {
                stage.load(0, 20, i -> "key-" + i % KEYS);
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
                kafka.network("out").all(TcpProxy::cut);
                for (int from = 20; from < RECORDS; from += 20) {
                    stage.load(from, 20, i -> "key-" + i % KEYS);
                    await().pollDelay(millis(200)).until(() -> true); // So 6 s in all: the first would be given up.
                }
                kafka.network("out").all(TcpProxy::heal);
                await().atMost(Duration.ofMinutes(2)).until(stage::isCommittedToEnd);
                assertThat(laneway.state()).isEqualTo(State.RUNNING);
            }
            Map<String, List<Integer>> values = new HashMap<>();
            stage.read(out, RECORDS)
                    .forEach(record -> values.computeIfAbsent(
                                    String.valueOf(Stage.text(record.key())), any -> new ArrayList<>())
                            .add(Integer.valueOf(String.valueOf(Stage.text(record.value())))));
            assertThat(values).hasSize(KEYS);
            assertThat(values.values())
                    .allSatisfy(numbers -> assertThat(numbers).isSorted().doesNotHaveDuplicates());
        }
    }
}
