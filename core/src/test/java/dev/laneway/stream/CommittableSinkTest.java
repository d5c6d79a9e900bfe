package dev.laneway.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.SendFailedException;
import dev.laneway.SharedKafka;
import dev.laneway.testkit.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("Produce and commit in one stage, on a real broker")
class CommittableSinkTest {
    private static final int RECORDS = 2_000;
    private static final int FATAL = 1_200;
    private static final String GROUP = "copying";
    private static final TopicPartition IN = new TopicPartition("copied-from", 0);
    private static final TopicPartition OUT = new TopicPartition("copied-to", 0);

    private final KafkaCluster kafka = SharedKafka.get();

    private Control copy(int fatal) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "group.id", GROUP, "auto.offset.reset", "earliest");
        ConsumerSettings<String, String> consumer =
                ConsumerSettings.of(config, new StringDeserializer(), new StringDeserializer());
        ProducerSettings<String, String> producer = ProducerSettings.of(
                Map.of("bootstrap.servers", kafka.bootstrapServers()), new StringSerializer(), new StringSerializer());
        return KafkaSource.committable(consumer.withCloseLimit(Duration.ofSeconds(1)), Subscription.topics(IN.topic()))
                .map(record -> Envelope.single(
                        new ProducerRecord<String, String>(
                                OUT.topic(),
                                record.value().equals(Integer.toString(fatal)) ? "x".repeat(2 << 20) : record.value()),
                        record))
                .to(KafkaSink.committable(producer, CommitterSettings.DEFAULTS.withMaxBatch(100)));
    }

    private List<Integer> written() {
        List<Integer> values = new ArrayList<>();
        long end = kafka.endOffsets(OUT.topic()).get(OUT);
        try (Consumer<byte[], byte[]> reader = kafka.consumer("reader-of-copies")) {
            reader.assign(List.of(OUT));
            while (values.size() < end) {
                reader.poll(Duration.ofMillis(100))
                        .forEach(record ->
                                values.add(Integer.valueOf(new String(record.value(), StandardCharsets.UTF_8))));
            }
        }
        return values;
    }

    private long committed() {
        OffsetAndMetadata offset = kafka.committed(GROUP).get(IN);
        return offset == null ? 0 : offset.offset();
    }

    @Test
    @DisplayName(
            "B80 what breaks off in the middle has committed nothing that is not written, and goes on without loss")
    void breaksOff() {
        kafka.createTopic(IN.topic(), 1);
        kafka.createTopic(OUT.topic(), 1);
        kafka.produce(IntStream.range(0, RECORDS)
                .mapToObj(i -> new ProducerRecord<byte[], byte[]>(
                        IN.topic(), Integer.toString(i).getBytes(StandardCharsets.UTF_8)))
                .toList());
        Control broken = copy(FATAL);
        assertThatThrownBy(() -> broken.completion().toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(SendFailedException.class);
        assertThat(committed()).isPositive().isLessThanOrEqualTo(FATAL);
        assertThat(written())
                .contains(IntStream.range(0, (int) committed()).boxed().toArray(Integer[]::new));
        Control whole = copy(-1);
        await().atMost(Duration.ofSeconds(40)).until(() -> committed() == RECORDS);
        whole.drainAndShutdown(Duration.ofSeconds(10)).toCompletableFuture().join();
        assertThat(written()).contains(IntStream.range(0, RECORDS).boxed().toArray(Integer[]::new));
    }
}
