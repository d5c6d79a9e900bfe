package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.Options;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The life of the producer; of what is sent, see {@link DeliveryTest}. */
class OutboxTest {
    private final List<MockProducer<byte[], byte[]>> made = new ArrayList<>();
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
        Delivery delivery = delivery();
        List<Delivery> answered = new ArrayList<>();
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
        Delivery delivery = delivery();
        outbox.send(delivery, _ -> {});
        assertThat(delivery.failure).isInstanceOf(IllegalStateException.class);
        assertThat(made).hasSize(1);
    }

    private MockProducer<byte[], byte[]> make() {
        made.add(new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()));
        return made.getLast();
    }

    private static Delivery delivery() {
        Machine machine = new Machine(
                new HandHost(),
                Options.DEFAULTS,
                new Handling.Plain<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), record -> {}),
                new HandConsumer(),
                null);
        return new Delivery(
                machine.track(), Records.record(0, "a"), false, List.of(new ProducerRecord<>("out", new byte[1])));
    }
}
