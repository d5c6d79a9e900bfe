package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.KafkaCluster;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metrics of consumers on a real broker. */
class RunningMetricsTest {
    private static final Duration LIMIT = Duration.ofSeconds(40);

    private final KafkaCluster kafka = EmbeddedKafka.shared();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private LanewayBuilder<byte[], byte[]> consumer(String topic, int partitions, int records) {
        kafka.createTopic(topic, partitions);
        List<ProducerRecord<byte[], byte[]>> all = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            byte[] bytes = {(byte) i, (byte) (i >> 8)};
            all.add(new ProducerRecord<>(topic, bytes, bytes));
        }
        kafka.produce(all);
        return Laneway.consumer(Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "group.id",
                        topic,
                        "auto.offset.reset",
                        "earliest"))
                .name(topic)
                .closeOnShutdown(false)
                .subscribe(topic);
    }

    private double counter(String name) {
        return registry.get(name).functionCounter().count();
    }

    @Test
    @DisplayName(
            "B153 B154 a running consumer's figures are right, Kafka's own stand beside them, and no thread is left")
    void running() {
        Set<String> before = threads();
        try (Laneway _ = consumer("metrics-running", 3, 5_000)
                .onFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(10)), 2)
                        .thenSkip())
                .observer(MicrometerMetrics.to(registry))
                .process(record -> {
                    if (record.offset() == 7) {
                        throw new IllegalStateException("no stock");
                    }
                })) {
            await().atMost(LIMIT).until(() -> counter("laneway.records.processed") == 5_000);
            await().atMost(LIMIT).until(() -> counter("laneway.commits") > 0);
            assertThat(counter("laneway.records.skipped")).isEqualTo(3);
            assertThat(counter("laneway.attempts.failed")).isEqualTo(6);
            assertThat(counter("laneway.retries")).isEqualTo(3);
            assertThat(registry.get("messaging.client.consumed.messages")
                            .counter()
                            .count())
                    .isEqualTo(5_000);
            Timer timed = registry.get("messaging.process.duration")
                    .tag("error.type", "none")
                    .timer();
            assertThat(timed.count()).isBetween(20L, 4_000L);
            assertThat(registry.get("laneway.queue.wait").timer().count()).isPositive();
            assertThat(registry.get("laneway.record.latency").timer().count()).isEqualTo(timed.count());
            await().atMost(LIMIT)
                    .until(() -> registry.get("kafka.consumergroup.group.max.lag")
                                    .gauge()
                                    .value()
                            == 0);
            assertThat(registry.get("kafka.consumergroup.group.lag").gauges()).hasSize(3);
            assertThat(registry.find("kafka.consumer.fetch.manager.records.consumed.total")
                            .meters())
                    .isNotEmpty();
        }
        assertThat(registry.getMeters()).isEmpty();
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(threads())
                        .filteredOn(name -> name.contains("kafka-metrics"))
                        .isSubsetOf(before));
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).collect(Collectors.toSet());
    }

    @Test
    @DisplayName("B81 B154 members of one consumer that come and go leave the meters of its partitions, and no others")
    void moves() {
        LanewayBuilder<byte[], byte[]> first = consumer("metrics-moves", 6, 100);
        SimpleMeterRegistry others = new SimpleMeterRegistry();
        try (Laneway one = first.observer(MicrometerMetrics.to(registry).withoutClientMetrics())
                .process(record -> {})) {
            await().atMost(LIMIT).until(() -> lags(registry) == 6);
            try (Laneway two = Laneway.consumer(
                            Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", "metrics-moves"))
                    .closeOnShutdown(false)
                    .subscribe("metrics-moves")
                    .observer(MicrometerMetrics.to(others).withoutClientMetrics())
                    .process(record -> {})) {
                await().atMost(LIMIT).until(() -> lags(registry) == 3 && lags(others) == 3);
                assertThat(one.assignment()).hasSize(3);
                assertThat(two.assignment()).hasSize(3);
            }
            await().atMost(LIMIT).until(() -> lags(registry) == 6);
            assertThat(others.getMeters()).isEmpty();
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    private static int lags(SimpleMeterRegistry of) {
        return of.find("kafka.consumergroup.group.lag").gauges().size();
    }

    @Test
    @DisplayName("B153 a recording of the flight recorder has events by the names of the metrics")
    void recorded(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("laneway.jfr");
        CountDownLatch slow = new CountDownLatch(1);
        try (Recording recording = new Recording()) {
            recording.enable("messaging.process.duration").withThreshold(Duration.ofMillis(20));
            Stream.of("messaging.client.operation.duration", "laneway.rebalance.duration", "laneway.state")
                    .forEach(recording::enable);
            recording.enable("laneway.records.skipped");
            recording.enable("laneway.attempts.failed");
            recording.start();
            try (Laneway laneway = consumer("metrics-recorded", 1, 100)
                    .onFailure(FailurePolicy.skip())
                    .observer(FlightRecorderEvents.all())
                    .process(record -> {
                        if (record.offset() == 7) {
                            var _ = slow.await(50, TimeUnit.MILLISECONDS);
                        } else if (record.offset() == 8) {
                            throw new IllegalStateException("no stock");
                        }
                    })) {
                await().atMost(LIMIT)
                        .until(() -> laneway.snapshot().counters().commits() > 0
                                && laneway.snapshot().counters().processed() == 100);
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        List<RecordedEvent> attempts = named(events, "messaging.process.duration");
        assertThat(attempts).isNotEmpty().anySatisfy(event -> {
            assertThat(event.getLong("offset")).isEqualTo(7);
            assertThat(event.getDuration()).isGreaterThanOrEqualTo(Duration.ofMillis(20));
        });
        assertThat(named(events, "laneway.records.skipped"))
                .singleElement()
                .satisfies(event -> assertThat(event.getString("failure")).contains("no stock"));
        assertThat(named(events, "laneway.attempts.failed")).hasSize(1);
        assertThat(named(events, "messaging.client.operation.duration")).isNotEmpty();
        assertThat(named(events, "laneway.rebalance.duration")).isNotEmpty();
        assertThat(named(events, "laneway.state"))
                .extracting(event -> event.getString("state"))
                .containsExactly("RUNNING", "CLOSING", "CLOSED");
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }
}
