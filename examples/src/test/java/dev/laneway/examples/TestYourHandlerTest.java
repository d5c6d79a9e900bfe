package dev.laneway.examples;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.CommitMode;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.RecordHandler;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.sim.SimBroker;
import dev.laneway.testkit.sim.SimConsumer;
import dev.laneway.testkit.sim.Simulation;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How to test a handler of yours. On a real broker inside this JVM: {@link EmbeddedKafka#shared()} starts it once for
 * all tests, so each test takes topics and groups of its own. On a simulated cluster, where what seldom happens can be
 * made to happen: its time is virtual, and a seed decides when things go wrong.
 */
class TestYourHandlerTest {
    private static final int MOVEMENTS = 1_000;

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

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    @DisplayName("movements are booked once by a member that is thrown out of its group before it can commit")
    void thrownOutOfItsGroup(long seed) {
        Map<String, Object> config =
                Map.of("group.id", "booking", "auto.offset.reset", "earliest", "enable.auto.commit", false);
        try (Simulation simulation = Simulation.seeded(seed)) {
            SimBroker broker = simulation.broker();
            broker.createTopic("stock", 2);
            for (int i = 0; i < MOVEMENTS; i++) {
                broker.append("stock", i % 2, utf8("article-" + i % 10), utf8("1"));
            }
            simulation.faults().randomEvictions("booking", ofSeconds(3));
            SimConsumer client = broker.consumer(config);
            client.onIdlePoll(simulation::pass);

            // Until it has ended, the consumer's own thread drives the simulation, and nobody else may touch it.
            try (Laneway laneway = typed(Laneway.consumer(config, () -> client), "stock")
                    .commit(CommitMode.async(ofMinutes(5)))
                    .process(stock)) {
                await().atMost(ofSeconds(30)).until(() -> processed(laneway) >= 3 * MOVEMENTS);
            }

            for (int article = 0; article < 10; article++) {
                assertThat(stock.pieces("article-" + article)).isEqualTo(MOVEMENTS / 10);
            }
        }
    }

    private LanewayBuilder<String, String> consumer(String topic, String group) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers", kafka.bootstrapServers(), "group.id", group, "auto.offset.reset", "earliest");
        return typed(Laneway.consumer(config), topic);
    }

    private static LanewayBuilder<String, String> typed(LanewayBuilder<byte[], byte[]> bytes, String topic) {
        return bytes.deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(topic);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static long processed(Laneway laneway) {
        return laneway.snapshot().counters().processed();
    }
}
