package dev.laneway.ops.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Sample;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MeasuredWorkTest {
    private final Map<Metric, Double> first = new HashMap<>();
    private final Map<Metric, Double> second = new HashMap<>();

    private MeasuredWorkTest seen(String group, String name, Map<String, String> tags, double from, double to) {
        first.put(Metric.of(group, name, tags), from);
        second.put(Metric.of(group, name, tags), to);
        return this;
    }

    private MeasuredWorkTest consumer(String id, double idleRatio, double rate) {
        Map<String, String> tags = Map.of("client-id", id);
        return seen("consumer-metrics", "poll-idle-ratio-avg", tags, idleRatio, idleRatio)
                .seen("consumer-fetch-manager-metrics", "records-consumed-rate", tags, rate, rate)
                .seen("consumer-fetch-manager-metrics", "bytes-consumed-rate", tags, rate * 200, rate * 200);
    }

    private Observations observations() {
        return new Observations(
                List.of(new Sample("pid 1", 0, first, Map.of()), new Sample("pid 1", 10_000, second, Map.of())));
    }

    @Test
    @DisplayName(
            "B146 a consumer's time for a record is its time at work over its records, with Kafka's ratio corrected")
    void consumers() {
        // Idle for a quarter and for a half of the time; a third one has nothing to do and does not count.
        consumer("a", 0.2, 150).consumer("b", 1 / 3.0, 50).consumer("c", 0.5, 1);
        seen(Groups.JVM, "process-cpu-ns-total", Map.of(), 0, 2e9);
        MeasuredWork work = MeasuredWork.of(observations());
        assertThat(work.serviceSeconds()).isCloseTo(1.25 / 200, within(1e-9));
        assertThat(work.recordBytes()).isCloseTo(200, within(1e-9));
        assertThat(work.cpuSeconds()).isCloseTo(0.2 / 200, within(1e-9));
        assertThat(work.evidence()).hasSize(2).first().asString().contains("pid 1", "at work");
    }

    @Test
    @DisplayName("B146 a stream thread's time for a record is its share in processing over its rate")
    void streams() {
        Map<String, String> tags = Map.of("thread-id", "t");
        seen("stream-thread-metrics", "process-ratio", tags, 0.6, 0.8)
                .seen("stream-thread-metrics", "process-rate", tags, 70, 70)
                .consumer("t-consumer", 0.1, 70);
        assertThat(MeasuredWork.of(observations()).serviceSeconds()).isCloseTo(0.01, within(1e-9));
    }

    @Test
    @DisplayName("B146 what shows no work is refused with a remedy")
    void refused() {
        assertThatThrownBy(() -> MeasuredWork.of(observations())).hasMessageContaining("no consumer: record a time");
        consumer("c", 0.5, 1);
        assertThatThrownBy(() -> MeasuredWork.of(observations())).hasMessageContaining("had no work: record a time");
    }

    @Test
    @DisplayName("B186 a Laneway's time for a record is that of its workers over the records done, not of its polls")
    void laneway() {
        consumer("c", 0.2, 3_000);
        Map<String, String> tags = Map.of("client-id", "shop");
        // In 10 s, 32 workers were at work for 310 s, and did 31,000 records, 1,000 of them not successfully.
        seen(Groups.LANEWAY, "busy-ns-total", tags, 5e9, 315e9);
        seen(Groups.LANEWAY, "processed-total", tags, 100, 30_100);
        seen(Groups.LANEWAY, "dead-lettered-total", tags, 0, 600);
        seen(Groups.LANEWAY, "skipped-total", tags, 0, 400);
        seen(Groups.LANEWAY, "workers", tags, 32, 32);
        MeasuredWork work = MeasuredWork.of(observations());
        assertThat(work.serviceSeconds()).isCloseTo(0.01, within(1e-9));
        assertThat(work.recordBytes()).isCloseTo(200, within(1e-9));
        assertThat(work.concurrency()).isEqualTo(32);
        assertThat(work.evidence()).singleElement().asString().contains("shop", "96.9 %", "32 workers");
    }
}
