package dev.laneway.examples;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.RecordHandler;
import dev.laneway.testkit.EmbeddedKafka;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * How to test a handler of yours. The broker is a real one inside this JVM. {@link EmbeddedKafka#shared()} starts it
 * once for all tests, so each test takes topics and groups of its own.
 */
class TestYourHandlerTest {
    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final Stock stock = new Stock();

    /**
     * The handler under test: how many pieces of each article there are. A movement may come twice, after a crash for
     * example, so the offset of the last one is kept with the pieces, and an older movement changes nothing.
     */
    static final class Stock implements RecordHandler<String, String> {
        private record Entry(int pieces, long offset) {}

        private final Map<String, Entry> entries = new ConcurrentHashMap<>();

        @Override
        public void handle(ConsumerRecord<String, String> movement) {
            Entry before = entries.getOrDefault(movement.key(), new Entry(0, -1));
            if (movement.offset() > before.offset()) {
                int pieces = before.pieces() + Integer.parseInt(movement.value());
                entries.put(movement.key(), new Entry(pieces, movement.offset()));
            }
        }

        int pieces(String article) {
            return entries.getOrDefault(article, new Entry(0, -1)).pieces();
        }
    }

    @Test
    @DisplayName("movements are booked, and all of them are committed")
    void booksMovements() {
        kafka.createTopic("stock", 3);
        kafka.produce("stock", "bicycle", "5");
        kafka.produce("stock", "bell", "20");
        kafka.produce("stock", "bicycle", "-2");

        try (Laneway laneway = consumer("stock", "booking").process(stock)) {
            await().atMost(ofSeconds(30)).until(() -> stock.pieces("bicycle") == 3 && stock.pieces("bell") == 20);
            assertThat(laneway.drain(ofSeconds(10))).isTrue();
        }

        assertThat(kafka.committed("booking").values().stream()
                        .mapToLong(OffsetAndMetadata::offset)
                        .sum())
                .isEqualTo(3);
    }

    @Test
    @DisplayName("movements that come a second time change nothing")
    void bookingTwiceIsBookingOnce() {
        kafka.createTopic("stock-again", 1);
        kafka.produce("stock-again", "bicycle", "5");
        kafka.produce("stock-again", "bicycle", "-2");

        try (Laneway laneway = consumer("stock-again", "booking-again").process(stock)) {
            await().atMost(ofSeconds(30)).until(() -> processed(laneway) == 2);
            laneway.seek(new TopicPartition("stock-again", 0), 0);
            await().atMost(ofSeconds(30)).until(() -> processed(laneway) == 4);
        }

        assertThat(stock.pieces("bicycle")).isEqualTo(3);
    }

    private LanewayBuilder<String, String> consumer(String topic, String group) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "group.id", group, "auto.offset.reset", "earliest");
        return Laneway.consumer(config)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(topic);
    }

    private static long processed(Laneway laneway) {
        return laneway.snapshot().counters().processed();
    }
}
