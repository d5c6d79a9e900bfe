package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("Exactly-once on a broker that takes little commit metadata")
class SmallMetadataTest {
    private static final int RECORDS = 20_000;

    @Test
    @DisplayName("B7 B60 B61 an error names offset.metadata.max.bytes, commits say less, and outputs that they do not"
            + " name come later: once, also after a restart")
    void outputsAreThereOnce() {
        try (EmbeddedKafka kafka = EmbeddedKafka.builder()
                        .property("offset.metadata.max.bytes", "64")
                        .start();
                Logs logs = new Logs()) {
            Stage stage = Stage.on(kafka, 1);
            String out = stage.topic + ".out";
            kafka.createTopic(out, 2);
            stage.load(RECORDS, i -> "key-" + i);
            CountDownLatch never = new CountDownLatch(1);
            try (Laneway first = start(stage, out, never)) {
                await().atMost(LIMIT)
                        .until(() -> logs.messages().stream()
                                .anyMatch(message ->
                                        message.startsWith("ERROR") && message.contains("offset.metadata.max.bytes")));
                await().atMost(LIMIT).until(() -> stage.committed(0) == 5);
                // More is done than the map can say.
                await().atMost(LIMIT).until(() -> first.snapshot().counters().processed() > 1_000);
                assertThat(stage.metadata(0)).hasSizeBetween(1, 64);
                assertThat(first.snapshot().counters().emitted())
                        .isPositive()
                        .isLessThan(first.snapshot().counters().processed());
                assertThat(first.state()).isEqualTo(State.RUNNING);
            }
            try (Laneway second = start(stage, out, new CountDownLatch(0))) {
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
                assertThat(second.state()).isEqualTo(State.RUNNING);
            }
            assertThat(Stage.readCommitted(kafka, out))
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, RECORDS)
                            .mapToObj(Integer::toString)
                            .toList());
        }
    }

    private static Laneway start(Stage stage, String out, CountDownLatch gate) {
        return stage.consumer()
                .concurrency(2_000)
                .closeLimit(Duration.ZERO)
                .commit(CommitMode.exactlyOnce(stage.topic).withInterval(millis(20)))
                .transform(new StringSerializer(), new StringSerializer(), record -> {
                    if (record.offset() % 13 == 5) {
                        gate.await();
                    }
                    return List.of(new ProducerRecord<>(out, record.key(), record.value()));
                });
    }
}
