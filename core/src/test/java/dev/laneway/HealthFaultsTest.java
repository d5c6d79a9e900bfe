package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What health says of each fault, and after how many seconds, with the default {@code healthLimit}.
 * docs/troubleshooting.md has the table; each test finds its line there and compares status and words, but for numbers,
 * with what was said. The seconds in the table are those of a machine with nothing else to do; each run prints its own.
 */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("Faults and what health says of them")
class HealthFaultsTest {
    private static final Path DOC = Path.of(System.getProperty("laneway.root", ".."), "docs", "troubleshooting.md");

    /** Waits for a reason and compares it with the line of the table. */
    private static void expect(String fault, Laneway laneway, Health.Status status, String words) throws IOException {
        expect(fault, laneway::health, status, words);
    }

    /** The same of a consumer or a stream. */
    static void expect(String fault, Supplier<Health> asked, Health.Status status, String words) throws IOException {
        long since = System.nanoTime();
        await().atMost(LIMIT).until(() -> asked.get().reasons().stream().anyMatch(one -> one.contains(words)));
        double seconds = Duration.ofNanos(System.nanoTime() - since).toMillis() / 1_000.0;
        Health health = asked.get();
        String reason = health.reasons().stream()
                .filter(one -> one.contains(words))
                .findFirst()
                .orElseThrow()
                .replaceAll(" \\(for [0-9]+ s\\)$", "")
                .replaceAll(", at .*\\)\\. ", ", at (its stack). ");
        String line =
                "| " + fault + " | " + health.status() + " | " + reason + " | " + "%.1f".formatted(seconds) + " |";
        System.out.println(line);
        assertThat(health.status()).as(line).isEqualTo(status);
        assertThat(health.reasons())
                .allSatisfy(one -> assertThat(new Health(status, List.of(one)).causes())
                        .as("the words of one cause begin: %s", one)
                        .hasSize(1));
        List<String> row = Files.readAllLines(DOC).stream()
                .filter(one -> one.startsWith("| " + fault + " |"))
                .map(one -> one.split(" ?\\| ?"))
                .map(List::of)
                .findFirst()
                .orElseThrow(() -> new AssertionError("docs/troubleshooting.md lacks " + line));
        assertThat(row.get(2)).as(line).isEqualTo(status.toString());
        assertThat(withoutNumbers(row.get(3))).as(line).isEqualTo(withoutNumbers(reason));
        assertThat(Double.parseDouble(row.get(4))).as("seconds in the table").isLessThanOrEqualTo(10);
    }

    private static String withoutNumbers(String text) {
        return text.replaceAll("key hash [0-9a-f]+", "key hash #").replaceAll("[0-9]+", "#");
    }

    @Test
    @DisplayName("B114 a broker that never existed")
    void noBroker() throws IOException {
        Stage stage = Stage.of(1);
        try (Laneway laneway = stage.consumer(Map.of("bootstrap.servers", "127.0.0.1:1"))
                .closeLimit(Duration.ofSeconds(1))
                .process(_ -> {})) {
            expect("a broker that never existed", laneway, Health.Status.DOWN, "none has answered yet");
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B114 the broker gone under an idle consumer, which is no reason before")
    void brokerGone(String protocol) throws IOException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            Stage stage = Stage.on(kafka, 1);
            stage.load(1, i -> "key");
            Journal journal = new Journal();
            try (Laneway laneway = stage.consumer(Map.of("group.protocol", protocol))
                    .closeLimit(Duration.ofSeconds(1))
                    .brokerLimit(Duration.ofSeconds(5))
                    .process(journal.note(_ -> {}))) {
                await().atMost(LIMIT).until(() -> journal.size() == 1 && stage.isCommittedToEnd());
                // Idle for longer than it takes to tell of a fault.
                await().pollDelay(Duration.ofSeconds(12))
                        .atMost(LIMIT)
                        .until(() -> laneway.health().reasons().isEmpty());
                kafka.kill(1);
                expect("the broker gone under an idle consumer", laneway, Health.Status.DOWN, "no broker answers");
                assertThat(laneway.health().live()).isTrue();
                kafka.start(1);
                await().atMost(LIMIT.multipliedBy(2))
                        .until(() -> laneway.health().status() == Health.Status.UP);
            }
        }
    }

    @Test
    @DisplayName("B114 a missing input topic")
    void missingTopic() throws IOException {
        Stage stage = Stage.of(1);
        try (Laneway laneway = stage.consumer().subscribe("orders").process(_ -> {})) {
            expect("a missing input topic", laneway, Health.Status.DOWN, "topic orders");
        }
        try (Laneway laneway = stage.consumer().subscribe("orders", stage.topic).process(_ -> {})) {
            expect("a missing input topic beside one that exists", laneway, Health.Status.DEGRADED, "topic orders");
        }
    }

    @Test
    @DisplayName("B114 a missing dead-letter topic, before the first dead letter")
    void missingDeadLetterTopic() throws IOException {
        Stage stage = Stage.of(1);
        try (Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.deadLetter("orders.dead"))
                .process(_ -> {})) {
            expect("a missing dead-letter topic", laneway, Health.Status.DEGRADED, "dead-letter topic orders.dead");
        }
    }

    @Test
    @DisplayName("B114 every attempt fails")
    void everyAttemptFails() throws IOException {
        Stage stage = Stage.of(1);
        stage.load(50, i -> "key-" + i);
        try (Laneway laneway = stage.consumer()
                .onFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(500))))
                .process(_ -> {
                    throw new IOException("connection refused");
                })) {
            expect("every attempt fails", laneway, Health.Status.DEGRADED, "every attempt fails");
        }
    }

    @Test
    @DisplayName("B114 one key whose attempts fail while others are done is not every attempt")
    void oneKeyFails() {
        Stage stage = Stage.of(1);
        stage.load(50, i -> "key-" + i);
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer()
                .concurrency(2)
                .onFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(100))))
                .process(journal.note(record -> {
                    if (record.key().equals("key-0")) {
                        throw new IOException("connection refused");
                    }
                    Stage.work(Duration.ofMillis(300));
                }))) {
            await().during(Duration.ofSeconds(8))
                    .atMost(LIMIT)
                    .until(() -> laneway.health().reasons().stream().noneMatch(one -> one.contains("every attempt")));
        }
    }

    @Test
    @DisplayName("B114 a rebalance listener that hangs")
    void hangingListener() throws Exception {
        Stage stage = Stage.of(1);
        CountDownLatch released = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer()
                .onRebalance(new RebalanceListener() {
                    @Override
                    public void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                        try {
                            released.await();
                        } catch (InterruptedException end) {
                            throw new IllegalStateException(end);
                        }
                    }
                })
                .process(_ -> {})) {
            expect("a rebalance listener that hangs", laneway, Health.Status.DOWN, "the rebalance listener's");
            released.countDown();
        }
    }

    /** A client that returns nothing of its first partition, as if the brokers did not accept its position. */
    private static final class Deaf extends KafkaConsumer<byte[], byte[]> {
        private final TopicPartition silent;

        Deaf(Map<String, Object> config, TopicPartition silent) {
            super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            this.silent = silent;
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration limit) {
            if (assignment().contains(silent)) {
                pause(List.of(silent));
            }
            return super.poll(limit);
        }
    }

    @Test
    @DisplayName("B114 a partition that no record passes any more")
    void silentPartition() throws IOException {
        Stage stage = Stage.of(2);
        stage.loadInto(1, 10, i -> "key-" + i);
        Journal journal = new Journal();
        Map<String, Object> config = stage.config(Map.of("enable.auto.commit", false));
        try (Laneway laneway = stage.strings(Laneway.consumer(config, () -> new Deaf(config, stage.partition(0))))
                .process(journal.note(_ -> {}))) {
            await().atMost(LIMIT).until(() -> journal.size() == 10);
            stage.loadInto(0, 10, i -> "key-" + i);
            expect("a partition that no record passes", laneway, Health.Status.DEGRADED, "no record of");
            assertThat(laneway.health().reasons()).noneMatch(one -> one.contains(stage.partition(1) + " comes"));
        }
    }

    @Test
    @DisplayName("B114 a consumer that has failed is not live")
    void failed() throws IOException {
        Stage stage = Stage.of(1);
        stage.load(1, i -> "key");
        Laneway laneway = stage.consumer().onFailure(FailurePolicy.stop()).process(_ -> {
            throw new IOException("connection refused");
        });
        expect("a record whose policy says stop", laneway, Health.Status.DOWN, "a member has failed");
        assertThat(laneway.health().live()).isFalse();
        assertThat(laneway.health().ready()).isFalse();
    }
}
