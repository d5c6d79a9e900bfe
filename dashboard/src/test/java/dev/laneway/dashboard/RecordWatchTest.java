package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.laneway.Laneway;
import dev.laneway.dashboard.Frame.Details;
import dev.laneway.dashboard.Frame.Latency;
import dev.laneway.dashboard.Frame.Unfinished;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
        KAFKA.createTopic(topic, 1);
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (String key : List.of("good", "stuck", "failing", "good-too")) {
            records.add(new ProducerRecord<>(topic, 0, key.getBytes(StandardCharsets.UTF_8), new byte[1]));
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
                assertThat(failing.id()).isEqualTo(topic + "-0");
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

    private static Unfinished of(Details details, long offset) {
        return details.unfinished().stream()
                .filter(one -> one.offset() == offset)
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
