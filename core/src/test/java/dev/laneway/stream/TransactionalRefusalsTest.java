package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.join;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.FailurePolicy;
import dev.laneway.StreamException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("What exactly-once streams refuse, on a real broker")
class TransactionalRefusalsTest {
    private final SourceStage stage = new SourceStage(3);

    /** A failed stream does not wait for what it has delivered. */
    private ConsumerSettings<String, String> settings() {
        return stage.settings().withCloseLimit(Duration.ZERO);
    }

    private TransactionSettings<String, String> transactions() {
        return transactions(stage.topic);
    }

    private static TransactionSettings<String, String> transactions(String id) {
        return TransactionSettings.of(id, new StringSerializer(), new StringSerializer())
                .withInterval(Duration.ofMillis(20));
    }

    private Envelope<String, String, CommittableRecord<String, String>> enveloped(
            CommittableRecord<String, String> record) {
        return Envelope.single(new ProducerRecord<>(stage.topic + ".out", record.key(), record.value()), record);
    }

    @Test
    @DisplayName(
            "B61 what cannot be written at once is refused by name: other sources, early acknowledgements, batches")
    void refusals() throws Exception {
        stage.load(0, 0, 5);
        TransactionSettings<String, String> transactions = transactions();
        Control other = KafkaSource.committable(settings(), stage.all())
                .map(this::enveloped)
                .to(KafkaSink.transactional(transactions));
        assertThatThrownBy(() -> join(other.completion()))
                .hasCauseInstanceOf(StreamException.class)
                .hasMessageContaining("KafkaSource.transactional");
        Control early = KafkaSource.transactional(settings(), stage.all(), transactions)
                .map(record -> {
                    record.acknowledge();
                    return enveloped(record);
                })
                .to(KafkaSink.transactional(transactions));
        assertThatThrownBy(() -> join(early.completion()))
                .hasCauseInstanceOf(StreamException.class)
                .hasMessageContaining("leave the acknowledgement to the sink");
        stage.load(0, 5, 10);
        Control batches = KafkaSource.transactional(settings(), stage.all(), transactions)
                .map(record ->
                        Envelope.<String, String, OffsetBatch>passThrough(OffsetBatch.of(List.of(record.offset()))))
                .to(KafkaSink.transactional(transactions));
        assertThatThrownBy(() -> join(batches.completion()))
                .hasCauseInstanceOf(StreamException.class)
                .hasMessageContaining("an envelope of its own");
    }

    @Test
    @DisplayName("B52 what cannot work is refused when the source is made")
    void wrongSettings() {
        Map<String, Object> uncommitted = new HashMap<>(settings().kafkaConfig());
        uncommitted.put("isolation.level", "read_uncommitted");
        ConsumerSettings<String, String> wrong = ConsumerSettings.of(
                uncommitted, settings().keyDeserializer(), settings().valueDeserializer());
        assertThatThrownBy(() -> KafkaSource.transactional(wrong, stage.all(), transactions()))
                .hasMessageContaining("isolation.level");
        assertThatThrownBy(() -> KafkaSource.transactional(
                        settings(), stage.all(), transactions().withProperty("transactional.id", "mine")))
                .hasMessageContaining("transactional.id");
        assertThatThrownBy(() -> transactions(" ")).hasMessageContaining("transactionalId");
        assertThatThrownBy(() -> transactions().withMaxBatch(0)).hasMessageContaining("maxBatch");
        assertThatThrownBy(() -> transactions().withMaxBytes(0)).hasMessageContaining("maxBytes");
        assertThatThrownBy(() -> transactions().withOnFailure(FailurePolicy.deadLetter("letters")))
                .hasMessageContaining("onFailure");
    }
}
