package dev.laneway.issues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.SharedKafka;
import dev.laneway.testkit.KafkaCluster;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A member that started while a broker was down had its first outputs to a partition refused and later ones taken: the
 * first were out of sequence for the two minutes of delivery.timeout.ms, and the partition could not be committed or
 * given up meanwhile. So the producer that Laneway makes has one request in flight, unless the user says otherwise.
 */
class OutputsOutOfSequenceTest {
    private static final String IN_FLIGHT = "max.in.flight.requests.per.connection";

    /** What producers were configured with. */
    private static final BlockingQueue<Object> SEEN = new LinkedBlockingQueue<>();

    private final KafkaCluster kafka = SharedKafka.get();

    @Test
    @DisplayName("B18 the producer of outputs has one request in flight, so that no batch can pass a refused one")
    void oneInFlight() throws Exception {
        assertThat(inFlight(Map.of())).isEqualTo("1");
    }

    @Test
    @DisplayName("Who prefers speed to order may allow more")
    void moreOnDemand() throws Exception {
        assertThat(inFlight(Map.of(IN_FLIGHT, "5"))).isEqualTo("5");
    }

    private String inFlight(Map<String, String> more) throws InterruptedException {
        String topic = "outputs-" + UUID.randomUUID();
        kafka.createTopic(topic, 1);
        Map<String, Object> producing = new HashMap<>(more);
        producing.put("bootstrap.servers", kafka.bootstrapServers());
        producing.put("interceptor.classes", Spy.class.getName());
        try (Laneway _ = Laneway.consumer(Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", topic))
                .subscribe(topic)
                .producer(producing)
                .onFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofSeconds(1)), 1)
                        .thenDeadLetter(topic + ".dlq"))
                .process(record -> {})) {
            return String.valueOf(Objects.requireNonNull(SEEN.poll(30, TimeUnit.SECONDS)));
        }
    }

    /** Is told the properties of the producer that it is in. */
    public static final class Spy implements ProducerInterceptor<byte[], byte[]> {
        @Override
        public void configure(Map<String, ?> properties) {
            SEEN.add(properties.get(IN_FLIGHT));
        }

        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

        @Override
        public void close() {}
    }
}
