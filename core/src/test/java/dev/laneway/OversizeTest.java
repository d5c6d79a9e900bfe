package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outputs beyond Kafka's 1 MiB, inside and outside transactions. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Large outputs")
class OversizeTest {
    private static final int LARGE = 10_000_000;

    private final Stage stage = Stage.of(1);
    private final String out = stage.topic + ".out";

    private Laneway start(boolean exactlyOnce, int bytes, Map<String, Object> producer) {
        stage.load(1, i -> "key");
        LanewayBuilder<String, String> builder = stage.consumer().producer(producer);
        if (exactlyOnce) {
            builder.commit(CommitMode.exactlyOnce(stage.topic).withInterval(millis(20)));
        }
        return builder.onFailure(FailurePolicy.stop())
                .transform(
                        new ByteArraySerializer(),
                        new ByteArraySerializer(),
                        record -> List.of(new ProducerRecord<>(out, new byte[1], new byte[bytes])));
    }

    @ParameterizedTest(name = "{displayName}: exactly-once {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("B107 an output of 10 MB reaches a topic that takes it")
    void fits(boolean exactlyOnce) {
        stage.kafka.createTopic(out, 1, 1, Map.of("max.message.bytes", "20000000"));
        try (Laneway laneway = start(exactlyOnce, LARGE, Map.of())) {
            await().atMost(LIMIT)
                    .until(() -> stage.isCommittedToEnd() || laneway.failure().isPresent());
            assertThat(laneway.failure()).isEmpty();
        }
        assertThat(stage.read(out, 1).getFirst().value()).hasSize(LARGE);
    }

    @ParameterizedTest(name = "{displayName}: exactly-once {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "B107 an output that its topic does not take: the failure says which, how large, which limit, what to do")
    void refusedByTheBroker(boolean exactlyOnce) {
        stage.kafka.createTopic(out, 1);
        Laneway laneway = start(exactlyOnce, LARGE, Map.of());
        assertThatThrownBy(() -> laneway.awaitTermination(LIMIT))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining("what it emits cannot be sent: the output to partition " + out
                        + "-0 has 10000001 bytes, more than max.message.bytes of the topic allows: raise that on the"
                        + " topic");
        assertThat(laneway.health().reasons()).anyMatch(reason -> reason.contains("max.message.bytes"));
    }

    @ParameterizedTest(name = "{displayName}: exactly-once {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("B107 an output beyond the user's own max.request.size: the failure says so")
    void refusedByTheProducer(boolean exactlyOnce) {
        stage.kafka.createTopic(out, 1);
        Laneway laneway = start(exactlyOnce, 5_000, Map.of("max.request.size", 2_000));
        assertThatThrownBy(() -> laneway.awaitTermination(LIMIT))
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining("the output to topic " + out
                        + " has 5001 bytes, more than max.request.size of the producer allows: raise that in the"
                        + " producer's configuration");
    }
}
