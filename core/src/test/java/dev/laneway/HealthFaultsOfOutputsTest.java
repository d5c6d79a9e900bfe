package dev.laneway;

import static dev.laneway.HealthFaultsTest.expect;
import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As {@link HealthFaultsTest}, with the same table: faults of outputs. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("Faults of outputs, and what health says of them")
class HealthFaultsOfOutputsTest {
    private final Stage stage = Stage.of(1);
    private final String out = stage.topic + ".out";

    @ParameterizedTest(name = "{displayName}: exactly-once {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("B114 a missing output topic, until it is there")
    void missingOutputTopic(boolean exactlyOnce) throws IOException {
        stage.load(5, i -> "key-" + i);
        LanewayBuilder<String, String> builder = stage.consumer();
        if (exactlyOnce) {
            // The transaction is aborted and written again meanwhile.
            builder.commit(CommitMode.exactlyOnce(stage.topic).withInterval(millis(20)))
                    .producer(Map.of("max.block.ms", 1_500));
        }
        try (Laneway laneway = builder.transform(
                new StringSerializer(),
                new StringSerializer(),
                record -> List.of(new ProducerRecord<>(out, record.key(), record.value())))) {
            expect(
                    "a missing output topic" + (exactlyOnce ? ", exactly-once" : ""),
                    laneway::health,
                    Health.Status.DEGRADED,
                    "output topic " + out);
            stage.kafka.createTopic(out, 1);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            await().atMost(LIMIT).until(() -> laneway.health().reasons().isEmpty());
        }
        assertThat(Stage.readCommitted(stage.kafka, out)).hasSize(5);
    }
}
