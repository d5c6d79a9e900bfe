package dev.laneway.engine.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.Options;
import dev.laneway.engine.HandConsumer;
import dev.laneway.engine.Machine;
import dev.laneway.engine.Records;
import dev.laneway.engine.runtime.HandHost;
import dev.laneway.engine.track.OutgoingRecords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The life of the producer; of what is sent, see {@code OutgoingRecordsTest}. */
class OutboxTest {
    private final List<MockProducer<byte[], byte[]>> made = new ArrayList<>();
    private boolean autoComplete = true;
    private final Outbox outbox = new Outbox(this::make, "group");

    @Test
    @DisplayName("One producer is made, when it is first needed")
    void oneProducer() {
        assertThat(made).isEmpty();
        assertThat(outbox.open()).isSameAs(outbox.open());
        assertThat(made).hasSize(1);
    }

    @Test
    @DisplayName("B58 after the close no producer is made, which nobody would close; what is sent is refused")
    void closedBeforeFirstUse() {
        outbox.close(Duration.ZERO);
        assertThatThrownBy(outbox::open)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the consumer has ended and sends nothing any more");
        OutgoingRecords delivery = delivery();
        List<OutgoingRecords> answered = new ArrayList<>();
        outbox.send(delivery, answered::add);
        assertThat(answered).containsExactly(delivery);
        assertThat(delivery.failure).isInstanceOf(IllegalStateException.class);
        assertThat(made).isEmpty();
    }

    @Test
    @DisplayName("B58 the producer is closed, and what is sent afterwards is refused by it")
    void closedAfterUse() {
        outbox.open();
        outbox.close(Duration.ZERO);
        assertThat(made.getFirst().closed()).isTrue();
        OutgoingRecords delivery = delivery();
        outbox.send(delivery, _ -> {});
        assertThat(delivery.failure).isInstanceOf(IllegalStateException.class);
        assertThat(made).hasSize(1);
    }

    @Test
    @DisplayName("B50 a producer that could not log in is given up, and what waits in it is refused")
    void replaced() {
        autoComplete = false;
        outbox.open();
        OutgoingRecords delivery = delivery();
        List<OutgoingRecords> answered = new ArrayList<>();
        outbox.send(delivery, answered::add);
        outbox.look(0);
        assertThat(made.getFirst().closed()).isFalse();

        failLogin(made.getFirst());
        outbox.look(1);
        assertThat(made.getFirst().closed()).isTrue();
        // What Kafka's producer answers when it is closed before it has sent a record.
        assertThat(made.getFirst().errorNext(new KafkaException("Producer is closed forcefully.")))
                .isTrue();
        assertThat(answered).containsExactly(delivery);
        assertThat(delivery.failure).isInstanceOf(AuthenticationException.class);

        // Another is made after a pause only.
        outbox.send(delivery, answered::add);
        assertThat(delivery.failure).isInstanceOf(AuthenticationException.class);
        outbox.look(4_000_000_000L);
        outbox.send(delivery, answered::add);
        assertThat(made).hasSize(1);
        outbox.look(5_000_000_001L);
        outbox.send(delivery, answered::add);
        assertThat(made).hasSize(2);
        assertThat(made.getLast().history()).hasSize(1);
    }

    @Test
    @DisplayName("B50 a producer that is refused before it has sent anything is given up; one that has sent is kept")
    void refusedBeforeItHasSent() {
        autoComplete = false;
        var refusal = new TopicAuthorizationException(Set.of("out"));
        outbox.send(delivery(), _ -> {});
        made.getFirst().completeNext();
        outbox.send(delivery(), _ -> {});
        made.getFirst().errorNext(refusal);
        outbox.look(0);
        assertThat(made.getFirst().closed()).isFalse();

        Outbox fresh = new Outbox(this::make, "group");
        OutgoingRecords delivery = delivery();
        fresh.send(delivery, _ -> {});
        made.getLast().errorNext(refusal);
        fresh.look(0);
        assertThat(made.getLast().closed()).isTrue();
        // What is sent in the pause is told why.
        fresh.send(delivery, _ -> {});
        assertThat(delivery.failure).isSameAs(refusal);
    }

    @Test
    @DisplayName("B52 a check makes a producer and keeps none")
    void check() {
        assertThat(outbox.check()).isTrue();
        assertThat(made.getFirst().closed()).isTrue();
        assertThat(outbox.open()).isSameAs(made.getLast()).isNotSameAs(made.getFirst());
    }

    private static void failLogin(MockProducer<byte[], byte[]> producer) {
        MetricName name = new MetricName("failed-authentication-total", "producer-metrics", "", Map.of());
        producer.setMockMetrics(
                name, new KafkaMetric(new Object(), name, (Gauge<Double>) (config, now) -> 1.0, null, Time.SYSTEM));
    }

    private MockProducer<byte[], byte[]> make() {
        made.add(new MockProducer<>(autoComplete, null, new ByteArraySerializer(), new ByteArraySerializer()));
        return made.getLast();
    }

    private static OutgoingRecords delivery() {
        Machine machine = new Machine(
                new HandHost(),
                Options.DEFAULTS,
                new HandlerSpec.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}),
                new HandConsumer(),
                null);
        return new OutgoingRecords(
                machine.track(), Records.record(0, "a"), List.of(new ProducerRecord<>("out", new byte[1])));
    }
}
