package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.dashboard.Frame.BusyKey;
import dev.laneway.dashboard.Frame.DeadLetter;
import dev.laneway.dashboard.Frame.Details;
import dev.laneway.dashboard.Frame.Latency;
import dev.laneway.dashboard.Frame.Unfinished;
import dev.laneway.ops.CommitMap;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RecordWatchTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final long SECOND = 1_000_000_000;

    @Test
    @DisplayName("B199 Times are right to an eighth, whatever they are, and a minute later they are forgotten")
    void percentiles() {
        LatencyWindow window = new LatencyWindow();
        assertThat(window.read("x", 0)).isNull();
        for (int micros = 1; micros <= 10_000; micros++) {
            window.add(micros * 1_000L, 3 * SECOND);
        }
        Latency known = window.read("x", 50 * SECOND);
        assertThat(known).isNotNull();
        assertThat(known.count()).isEqualTo(10_000);
        assertThat(known.half()).isCloseTo(0.005, within(0.005 / 8));
        assertThat(known.p95()).isCloseTo(0.0095, within(0.0095 / 8));
        assertThat(known.p99()).isCloseTo(0.0099, within(0.0099 / 8));
        assertThat(known.most()).isCloseTo(0.01, within(0.01 / 8));
        window.add(-5, 64 * SECOND); // A clock was set.
        window.add(Long.MAX_VALUE, 64 * SECOND);
        Latency later = window.read("x", 64 * SECOND);
        assertThat(later).isNotNull();
        assertThat(later.count()).isEqualTo(2);
        assertThat(window.read("x", 200 * SECOND)).isNull();
        for (long micros : List.of(0L, 1L, 7L, 8L, 9L, 15L, 16L, 1_000L, 123_456_789L, 1L << 41)) {
            long bound = LatencyWindow.bound(LatencyWindow.bucket(micros));
            assertThat(bound).isGreaterThan(micros).isLessThanOrEqualTo(Math.max(micros + 1, micros + micros / 8 + 1));
        }
    }

    @Test
    @DisplayName("B199 The page of a consumer tells of a stuck and of a failing record how long, how often, with what"
            + " failure, and where its worker is only if that is allowed; no message and no key")
    void details() throws Exception {
        String topic = "records-" + UUID.randomUUID();
        KAFKA.createTopic(topic, 4);
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (String key : List.of("good", "stuck", "failing", "good-too")) {
            // Each in a partition of its own.
            records.add(new ProducerRecord<>(topic, records.size(), key.getBytes(StandardCharsets.UTF_8), new byte[1]));
        }
        KAFKA.produce(records);
        CountDownLatch end = new CountDownLatch(1);
        RecordWatch watch = new RecordWatch();
        Map<String, Object> config = Map.of(
                "bootstrap.servers", KAFKA.bootstrapServers(), "group.id", topic, "auto.offset.reset", "earliest");
        try (Laneway running = Laneway.consumer(config)
                .subscribe(topic)
                .concurrency(10)
                .observer(watch)
                .process(record -> handle(record.key(), end))) {
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                Details known = watch.details();
                assertThat(known.unfinished()).hasSize(2);
                Unfinished stuck = of(known, 1);
                assertThat(stuck.seconds()).isGreaterThan(1);
                assertThat(stuck.attempts()).isEqualTo(1);
                assertThat(stuck.error()).isNull();
                assertThat(stuck.stack()).isEmpty();
                Unfinished failing = of(known, 2);
                assertThat(failing.id()).isEqualTo(topic + "-2");
                assertThat(failing.attempts()).isGreaterThan(1);
                assertThat(failing.error()).isEqualTo("java.lang.IllegalStateException");
                assertThat(known.latencies())
                        .extracting(Latency::name)
                        .containsExactly("waits for a worker", "handler", "end to end");
            });
            watch.showStacks();
            assertThat(String.join("\n", of(watch.details(), 1).stack())).contains("RecordWatchTest.handle");
            LanewayFeed feed = new LanewayFeed(running, "shop", watch);
            String json = new String(
                    PageJson.bytes(PageJson.frame("shop", feed.look(), 0, List.of(), List.of())),
                    StandardCharsets.UTF_8);
            feed.close();
            assertThat(json)
                    .contains("IllegalStateException", "RecordWatchTest.handle")
                    .doesNotContain("secret", "failing");
            end.countDown();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> watch.details().unfinished().isEmpty());
        }
    }

    @Test
    @DisplayName("B199 Keys that take most of the time are found among many, by hash unless they may be shown")
    void busyKeys() {
        BusyKeys keys = new BusyKeys();
        long now = 1_000 * SECOND;
        for (int i = 0; i < 200_000; i++) {
            boolean isHot = i % 4 == 0;
            keys.add(record(isHot ? "hot" : "cold-" + i, i), isHot ? 100_000 : 10_000, 1, now + i * 100_000L);
        }
        now += 20 * SECOND;
        BusyKey first = keys.read(false, now).getFirst();
        assertThat(first.key()).isEqualTo(HexFormat.of().toHexDigits(CommitMap.SpilledKey.hash(bytes("hot"))));
        assertThat(first.id()).isEqualTo("orders-0");
        assertThat(first.busy()).isCloseTo(0.25, within(0.02));
        assertThat(first.records()).isCloseTo(50_000, within(2_000L));
        assertThat(keys.read(true, now)).hasSize(8).extracting(BusyKey::key).startsWith("hot");
        keys.add(record("k".repeat(10_000), 1), 30 * SECOND, 1, now);
        keys.add(record("\u202e", 2), 29 * SECOND, 1, now);
        keys.add(new ConsumerRecord<>("orders", 0, 3, null, new byte[0]), 31 * SECOND, 1, now);
        assertThat(keys.read(true, now))
                .extracting(BusyKey::key)
                .startsWith(
                        HexFormat.of().toHexDigits(CommitMap.SpilledKey.hash(bytes("k".repeat(10_000)))), "0xe280ae");
        assertThat(keys.read(true, now + 61 * SECOND)).isEmpty();
    }

    private static ConsumerRecord<byte[], byte[]> record(String key, long offset) {
        return new ConsumerRecord<>("orders", 0, offset, bytes(key), new byte[0]);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("B199 Dead letters are told with their headers, whose values are shown only if that is allowed or they"
            + " hold nothing of a record")
    void deadLetters() {
        String topic = "letters-" + UUID.randomUUID();
        String letters = topic + ".dlq";
        KAFKA.createTopic(topic, 1);
        KAFKA.createTopic(letters, 1);
        ProducerRecord<byte[], byte[]> bad = new ProducerRecord<>(topic, 0, bytes("failing"), new byte[1]);
        bad.headers().add("customer", bytes("Ada"));
        KAFKA.produce(List.of(bad));
        RecordWatch watch = new RecordWatch();
        Map<String, Object> config = Map.of(
                "bootstrap.servers", KAFKA.bootstrapServers(), "group.id", topic, "auto.offset.reset", "earliest");
        CountDownLatch fails = new CountDownLatch(1);
        try (Laneway _ = Laneway.consumer(config)
                .subscribe(topic)
                .onFailure(FailurePolicy.deadLetter(letters))
                .observer(watch)
                .process(record -> handle(record.key(), fails))) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> !watch.details().letters().isEmpty());
        }
        DeadLetter letter = watch.details().letters().getFirst();
        assertThat(letter.id() + "@" + letter.offset() + " " + letter.topic()).isEqualTo(topic + "-0@0 " + letters);
        assertThat(letter.headers())
                .contains("customer", "laneway.dlq.reason", "laneway.dlq.attempts: 1")
                .contains("laneway.dlq.exception: java.lang.IllegalStateException");
        assertThat(String.join(" ", letter.headers())).doesNotContain("Ada", "secret");
        watch.showHeaders();
        assertThat(watch.details().letters().getFirst().headers())
                .contains("customer: Ada", "laneway.dlq.reason: a secret of a customer");
    }

    @Test
    @DisplayName("B199 What a handler emits is no dead letter of its record, though it has a dead letter's headers")
    void noLetter() {
        LetterTrail trail = new LetterTrail();
        ProducerRecord<byte[], byte[]> output = new ProducerRecord<>("elsewhere", new byte[0]);
        output.headers().add("laneway.dlq.topic", bytes("another")).add("laneway.dlq.offset", bytes("7"));
        trail.sends(record("key", 7), output);
        trail.acknowledged(new RecordPlace("orders", 0, 7), "orders.dlq", 1);
        assertThat(trail.newest(true).getFirst().headers()).isEmpty();
        for (int i = 0; i < 100; i++) {
            trail.acknowledged(new RecordPlace("orders", 0, i), "orders.dlq", i);
        }
        assertThat(trail.newest(true))
                .hasSize(20)
                .extracting(DeadLetter::offset)
                .startsWith(99L, 98L);
    }

    private static Unfinished of(Details details, int partition) {
        return details.unfinished().stream()
                .filter(one -> one.id().endsWith("-" + partition))
                .findFirst()
                .orElseThrow();
    }

    private static void handle(byte[] key, CountDownLatch end) throws InterruptedException {
        switch (new String(key, StandardCharsets.UTF_8)) {
            case "stuck" -> end.await(120, TimeUnit.SECONDS);
            case "failing" -> {
                if (end.getCount() > 0) {
                    throw new IllegalStateException("a secret of a customer");
                }
            }
            default -> {
                // Done.
            }
        }
    }
}
