package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.LanewayObserver;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Meters in a registry of Micrometer's, of a consumer that does what the test says. */
class MicrometerMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final FakeSubject subject = new FakeSubject("laneway");

    /** Without those that this kind of registry makes of each bucket of a histogram, and removes with it. */
    private List<Meter> meters() {
        return registry.getMeters().stream()
                .filter(meter -> !meter.getId().getName().endsWith(".histogram"))
                .toList();
    }

    private LanewayObserver observe(FakeSubject consumer) {
        return MicrometerMetrics.to(registry).withoutClientMetrics().observe(consumer);
    }

    private static ConsumerRecord<byte[], byte[]> record(int partition, long offset) {
        return new ConsumerRecord<>(
                "orders",
                partition,
                offset,
                System.currentTimeMillis(),
                TimestampType.CREATE_TIME,
                0,
                0,
                new byte[0],
                new byte[0],
                new RecordHeaders(),
                Optional.empty());
    }

    /** Whatever makes a meter. */
    static void live(LanewayObserver observer, FakeSubject subject) {
        subject.partitions = FakeSubject.partitions(0, 3);
        observer.assigned(subject.partitions, Duration.ofMillis(5));
        observer.fetched(new TopicPartition("orders", 1), 0, 9, 10);
        for (int i = 0; i < 10; i++) {
            LanewayObserver.Attempt attempt = observer.attemptStarted(record(1, i), 1, false);
            attempt.returned();
            attempt.ended(i == 5 ? new IllegalStateException("no stock") : null);
        }
        observer.committed(
                Map.of(new TopicPartition("orders", 1), new OffsetAndMetadata(10, "abc")), Duration.ofMillis(2), null);
        observer.transactionEnded(List.of(), Duration.ofMillis(3), null);
    }

    @Test
    @DisplayName("B153 the registry has the table's meters, all of them and no other, with its tags and units")
    void hasTheTable() {
        live(observe(subject), subject);
        Set<String> names =
                meters().stream().map(meter -> meter.getId().getName()).collect(Collectors.toCollection(TreeSet::new));
        assertThat(names)
                .containsExactlyElementsOf(Arrays.stream(LanewayMetric.values())
                        .map(LanewayMetric::metricName)
                        .sorted()
                        .toList());
        for (Meter meter : meters()) {
            LanewayMetric metric = Arrays.stream(LanewayMetric.values())
                    .filter(one -> one.metricName().equals(meter.getId().getName()))
                    .findFirst()
                    .orElseThrow();
            assertThat(meter.getId().getDescription()).isEqualTo(metric.meaning());
            assertThat(meter.getId().getType())
                    .isEqualTo(
                            switch (metric.kind()) {
                                case COUNTER -> Meter.Type.COUNTER;
                                case GAUGE -> Meter.Type.GAUGE;
                                case HISTOGRAM -> metric.isTime() ? Meter.Type.TIMER : Meter.Type.DISTRIBUTION_SUMMARY;
                            });
            Set<String> keys = metric.tags().stream().map(metric::key).collect(Collectors.toSet());
            keys.addAll(metric.constantTags().keySet());
            assertThat(meter.getId().getTags().stream().map(tag -> tag.getKey()))
                    .containsExactlyInAnyOrderElementsOf(keys);
        }
    }

    @Test
    @DisplayName("B153 counters and gauges are the snapshot's, those of partitions their own")
    void values() {
        live(observe(subject), subject);
        assertThat(registry.get("laneway.records.processed").functionCounter().count())
                .isEqualTo(1);
        assertThat(registry.get("laneway.records.spilled").functionCounter().count())
                .isEqualTo(13);
        assertThat(registry.get("laneway.records.refilled").functionCounter().count())
                .isEqualTo(14);
        assertThat(registry.get("laneway.workers.started").functionCounter().count())
                .isEqualTo(16);
        assertThat(registry.get("laneway.records.in.flight").gauge().value()).isEqualTo(6);
        assertThat(registry.get("laneway.held.size.limit").gauge().value()).isEqualTo(22);
        assertThat(registry.get("laneway.health").gauge().value()).isEqualTo(0.5);
        assertThat(cause("stuck-key")).isEqualTo(1);
        assertThat(cause("broker-away")).isEqualTo(0);
        assertThat(registry.get("laneway.oldest.age").gauge().value()).isEqualTo(2);
        assertThat(registry.get("laneway.state")
                        .tag("laneway.state", "running")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("laneway.partitions.paused")
                        .tag("laneway.reason", "share_full")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("laneway.utilisation")
                        .tag("laneway.activity", "busy")
                        .gauge()
                        .value())
                .isEqualTo(0.5);
        assertThat(registry.get("kafka.consumergroup.group.lag")
                        .tag("partition", "2")
                        .gauge()
                        .value())
                .isEqualTo(52);
        assertThat(registry.get("kafka.consumergroup.group.max.lag").gauge().value())
                .isEqualTo(52);
        assertThat(registry.get("messaging.client.consumed.messages").counter().count())
                .isEqualTo(10);
        Timer process = registry.get("messaging.process.duration")
                .tag("error.type", "none")
                .timer();
        assertThat(process.count()).isEqualTo(9);
        assertThat(registry.get("messaging.process.duration")
                        .tag("error.type", "java.lang.IllegalStateException")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("laneway.queue.wait").timer().count()).isEqualTo(10);
        assertThat(registry.get("laneway.map.size").summary().max()).isEqualTo(3);
    }

    private double cause(String verdict) {
        return registry.get("laneway.health.cause")
                .tag("laneway.cause", verdict)
                .gauge()
                .value();
    }

    @Test
    @DisplayName("B81 B154 10,000 rebalances leave no meter of a partition that has gone, and the end leaves none")
    void rebalances() {
        LanewayObserver observer = observe(subject);
        observer.assigned(List.of(), Duration.ZERO);
        observer.revoked(List.of(), Duration.ZERO);
        int before = meters().size();
        Random random = new Random(7);
        Set<TopicPartition> assigned = new TreeSet<>((a, b) -> a.partition() - b.partition());
        for (int i = 0; i < 10_000; i++) {
            TopicPartition one = new TopicPartition("orders", random.nextInt(20));
            if (assigned.remove(one)) {
                if (random.nextBoolean()) {
                    observer.revoked(List.of(one), Duration.ZERO);
                } else {
                    observer.lost(List.of(one), Duration.ZERO);
                }
            } else {
                assigned.add(one);
                observer.assigned(List.of(one), Duration.ZERO);
            }
            observer.committed(Map.of(one, new OffsetAndMetadata(i, "")), Duration.ofMillis(1), null);
        }
        long ofPartition = Arrays.stream(LanewayMetric.values())
                .filter(LanewayMetric::isOfPartition)
                .count();
        assertThat(registry.getMeters().stream()
                        .filter(meter -> meter.getId().getTag("partition") != null
                                || meter.getId().getTag("messaging.destination.partition.id") != null))
                .hasSize((int) ofPartition * assigned.size());
        observer.revoked(List.copyOf(assigned), Duration.ZERO);
        assertThat(meters().size()).isLessThan(before + 5);
        observer.ended(null);
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    @DisplayName("B58 B154 what comes after the end makes no meter any more")
    void late() {
        LanewayObserver observer = observe(subject);
        live(observer, subject);
        LanewayObserver.Attempt open = observer.attemptStarted(record(1, 20), 1, false);
        observer.ended(null);
        open.ended(null);
        observer.attemptStarted(record(1, 20), 1, false).ended(new IllegalStateException("late"));
        observer.assigned(FakeSubject.partitions(5, 6), Duration.ZERO);
        observer.fetched(new TopicPartition("orders", 5), 0, 1, 2);
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    @DisplayName(
            "B58 B154 two consumers of one name in one registry have meters of their own, and each ends with its own")
    void twoOfOneName() {
        FakeSubject second = new FakeSubject("laneway");
        LanewayObserver one = observe(subject);
        LanewayObserver other = observe(second);
        live(one, subject);
        second.partitions = FakeSubject.partitions(3, 4);
        other.assigned(second.partitions, Duration.ZERO);
        assertThat(assigned("laneway")).isEqualTo(3);
        assertThat(assigned("laneway-2")).isEqualTo(1);
        one.ended(null);
        assertThat(registry.getMeters()).isNotEmpty().allMatch(meter -> {
            String client = meter.getId().getTag("messaging.client.id");
            return "laneway-2".equals(client == null ? meter.getId().getTag("client_id") : client);
        });
        other.ended(null);
        assertThat(registry.getMeters()).isEmpty();
    }

    private double assigned(String client) {
        return registry.get("laneway.partitions.assigned")
                .tag("messaging.client.id", client)
                .gauge()
                .value();
    }

    @Test
    @DisplayName("B81 topics and classes of failures are bounded: what is too much is told as other")
    void bounded() {
        LanewayObserver observer = observe(subject);
        for (int i = 0; i < 1_000; i++) {
            observer.fetched(new TopicPartition("topic-" + i, 0), 0, 0, 1);
        }
        assertThat(registry.find("messaging.client.consumed.messages").counters())
                .hasSize(101);
        assertThat(registry.get("messaging.client.consumed.messages")
                        .tag("messaging.destination.name", "other")
                        .counter()
                        .count())
                .isEqualTo(900);
    }

    @Test
    @DisplayName("B153 where attempts follow each other 1 in 64 is timed; else each is")
    void sampled() {
        LanewayObserver observer = observe(subject);
        int timed = 0;
        for (int i = 0; i < 6_400; i++) {
            timed += observer.attemptStarted(record(0, i), 1, true) == null ? 0 : 1;
            assertThat(observer.attemptStarted(record(0, i), 1, false)).isNotNull();
        }
        assertThat(timed).isBetween(80, 120);
    }
}
