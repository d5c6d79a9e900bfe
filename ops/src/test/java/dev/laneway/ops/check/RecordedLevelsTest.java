package dev.laneway.ops.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Sample;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules against what a real Kafka Streams application with stores of all kinds tells at INFO and at DEBUG. */
class RecordedLevelsTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final int RECORDS = 200;

    private final String topic = "levels-" + UUID.randomUUID();

    @TempDir
    Path directory;

    private KafkaStreams streams(String level) {
        StreamsBuilder builder = new StreamsBuilder();
        var lines = builder.stream(topic, Consumed.with(Serdes.String(), Serdes.String()))
                .groupByKey(Grouped.with(Serdes.String(), Serdes.String()));
        lines.count(Materialized.<String, Long, KeyValueStore<Bytes, byte[]>>as("on-disk")
                        .withKeySerde(Serdes.String())
                        .withValueSerde(Serdes.Long())
                        .withCachingEnabled())
                .suppress(Suppressed.untilTimeLimit(Duration.ofHours(1), Suppressed.BufferConfig.unbounded()))
                .toStream();
        lines.count(Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("in-memory"))
                .withKeySerde(Serdes.String())
                .withValueSerde(Serdes.Long()));
        Properties options = new Properties();
        options.putAll(Map.of(
                "application.id",
                topic + level,
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "state.dir",
                directory.resolve(level).toString(),
                "auto.offset.reset",
                "earliest",
                "commit.interval.ms",
                100,
                "metrics.recording.level",
                level));
        return new KafkaStreams(builder.build(), options);
    }

    private static Sample sample(KafkaStreams streams, long atMillis) {
        Map<Metric, Double> numbers = new HashMap<>();
        streams.metrics().forEach((name, metric) -> {
            if (metric.metricValue() instanceof Number number && Double.isFinite(number.doubleValue())) {
                numbers.put(Metric.of(name.group(), name.name(), name.tags()), number.doubleValue());
            }
        });
        return new Sample("this process", atMillis, numbers, Map.of());
    }

    private static Set<StreamsMetric> told(KafkaStreams streams) {
        Set<StreamsMetric> told = EnumSet.noneOf(StreamsMetric.class);
        for (StreamsMetric metric : StreamsMetric.values()) {
            if (streams.metrics().keySet().stream()
                    .anyMatch(name ->
                            name.group().equals(metric.group()) && name.name().equals(metric.metric()))) {
                told.add(metric);
            }
        }
        return told;
    }

    private Observations run(String level, Set<StreamsMetric> told) {
        KAFKA.produce(IntStream.range(0, RECORDS)
                .mapToObj(i -> new ProducerRecord<>(
                        topic,
                        ("key " + i % 10).getBytes(StandardCharsets.UTF_8),
                        "value".getBytes(StandardCharsets.UTF_8)))
                .toList());
        try (KafkaStreams streams = streams(level)) {
            streams.start();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> new Observations(List.of(sample(streams, 0)))
                                    .sum("stream-thread-metrics", "process-total")
                                    .orElse(0)
                            >= RECORDS);
            told.addAll(told(streams));
            return new Observations(List.of(sample(streams, 0), sample(streams, 10_000)));
        }
    }

    private static Finding judge(List<Rule> rules, RuleId id, Observations seen) {
        return rules.stream()
                .filter(rule -> rule.id() == id)
                .findFirst()
                .orElseThrow()
                .judge(seen, Thresholds.USUAL);
    }

    @Test
    @DisplayName("B83 Kafka Streams has every metric that a rule asks for, at DEBUG; at INFO rules say what is missing")
    void levels() {
        KAFKA.createTopic(topic, 1);
        Set<StreamsMetric> atDebug = EnumSet.noneOf(StreamsMetric.class);
        Observations debug = run("DEBUG", atDebug);
        assertThat(atDebug).isEqualTo(EnumSet.allOf(StreamsMetric.class));

        Observations info = run("INFO", EnumSet.noneOf(StreamsMetric.class));
        Instance instance = Instance.streams(info).getFirst();
        for (StreamsMetric metric : StreamsMetric.values()) {
            assertThat(instance.all(metric).isEmpty()).as("%s at INFO", metric).isEqualTo(metric.debug());
        }

        assertThat(judge(StreamsRules.all(), RuleId.P4, debug).observed())
                .isEqualTo("this process records metrics at DEBUG");
        assertThat(judge(StreamsRules.all(), RuleId.P4, info).observed())
                .isEqualTo("this process records metrics at INFO");
        assertThat(judge(MemoryRules.all(), RuleId.M6, info).status()).isEqualTo(FindingStatus.UNKNOWN);
        assertThat(judge(MemoryRules.all(), RuleId.M6, info).recommendation())
                .contains("metrics.recording.level=DEBUG");
        assertThat(judge(MemoryRules.all(), RuleId.M6, debug).status()).isEqualTo(FindingStatus.OK);
        assertThat(judge(MemoryRules.all(), RuleId.M5, debug).status()).isEqualTo(FindingStatus.OK);
        for (RuleId id : List.of(RuleId.S4, RuleId.C8, RuleId.C11, RuleId.U3)) {
            assertThat(judge(StreamsRules.all(), id, info))
                    .extracting(Finding::status)
                    .isEqualTo(FindingStatus.OK);
        }
        assertThat(judge(MemoryRules.all(), RuleId.M2, info).diagnosis())
                .as("the usual block cache and buffers of one store")
                .contains("its 1 store can take 98 MiB");
        assertThat(info.has(Groups.CONFIG)).isFalse();
    }
}
