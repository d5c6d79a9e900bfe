package dev.laneway.ops.observe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.ops.check.Check;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.Finding;
import dev.laneway.ops.check.RuleId;
import dev.laneway.testkit.EmbeddedKafka;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a real application of Kafka Streams. */
class NodeTimerTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int RECORDS = 2_000;
    private static final Duration SLOW = Duration.ofMillis(4);

    private final String topic = "nodes-" + UUID.randomUUID();

    @TempDir
    private Path directory;

    private static final class Twin implements FixedKeyProcessor<String, String, String> {
        private FixedKeyProcessorContext<String, String> context;

        @Override
        public void init(FixedKeyProcessorContext<String, String> given) {
            context = given;
        }

        @Override
        public void process(FixedKeyRecord<String, String> record) {
            LockSupport.parkNanos(SLOW.toNanos());
            context.forward(record);
            context.forward(record);
        }
    }

    private KafkaStreams streams() {
        Map<String, Object> config = new HashMap<>(Map.of(
                "application.id",
                topic,
                "bootstrap.servers",
                KAFKA.bootstrapServers(),
                "state.dir",
                directory.toString(),
                "auto.offset.reset",
                "earliest",
                "num.stream.threads",
                1,
                "processor.wrapper.class",
                NodeTimer.class.getName()));
        StreamsBuilder builder = new StreamsBuilder(new TopologyConfig(new StreamsConfig(config)));
        builder.stream(topic, Consumed.with(Serdes.String(), Serdes.String()))
                .mapValues(String::trim, Named.as("quick"))
                .processValues(Twin::new, Named.as("slow"))
                .groupByKey()
                .count(Named.as("count"), Materialized.with(Serdes.String(), Serdes.Long()));
        Properties properties = new Properties();
        properties.putAll(config);
        return new KafkaStreams(builder.build(), properties);
    }

    private static double number(Sample sample, String name, String node) {
        return sample.numbers().entrySet().stream()
                .filter(entry -> entry.getKey().group().equals(Groups.NODE)
                        && entry.getKey().name().equals(name)
                        && entry.getKey().tag("processor-node-id").equals(node))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    @Test
    @DisplayName("B145 each processor node is timed without DEBUG metrics, apart from those behind it, and the slowest"
            + " is named")
    @SuppressWarnings("try")
    void times() throws Exception {
        KAFKA.createTopic(topic, 2);
        KAFKA.produce(IntStream.range(0, RECORDS)
                .mapToObj(i -> new ProducerRecord<>(topic, i % 2, ("key " + i % 10).getBytes(UTF_8), new byte[] {'a'}))
                .toList());
        try (KafkaStreams streams = streams();
                ClientMetricsSource inside = ClientMetricsSource.of("orders", streams::metrics);
                JmxSource outside = JmxSource.ofPid(ProcessHandle.current().pid())) {
            streams.start();
            await().atMost(LIMIT).until(() -> number(inside.read(LIMIT), "calls-total", "slow") > 0);

            CheckResult result = Check.of(inside).verdict(Duration.ofSeconds(2));
            Finding slowest = result.findings().stream()
                    .filter(finding -> finding.rule() == RuleId.C14)
                    .findFirst()
                    .orElseThrow();
            assertThat(slowest.observed()).startsWith("node slow takes most: ");
            assertThat(slowest.evidence().getFirst()).contains("orders: node slow of " + topic, "calls a second");

            await().atMost(LIMIT).until(() -> number(inside.read(LIMIT), "calls-total", "count") == 2 * RECORDS);
            Sample sample = inside.read(LIMIT);
            double expected = (double) RECORDS * SLOW.toNanos();
            assertThat(number(sample, "calls-total", "quick")).isEqualTo(RECORDS);
            assertThat(number(sample, "calls-total", "slow")).isEqualTo(RECORDS);
            assertThat(number(sample, "busy-ns-total", "slow")).isBetween(expected, 3 * expected);
            assertThat(number(sample, "busy-ns-total", "quick")).isLessThan(expected / 5);
            assertThat(number(sample, "busy-ns-total", "count")).isLessThan(expected / 2);
            assertThat(number(sample, "max-ns", "quick"))
                    .as("the longest call, those behind included")
                    .isGreaterThan((double) SLOW.toNanos());
            assertThat(number(outside.read(LIMIT), "calls-total", "slow")).isEqualTo(RECORDS);
        }
        assertThat(ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName(KafkaBeans.NODES), null))
                .as("beans left when the application has ended")
                .noneMatch(bean -> bean.toString().contains(topic));
    }

    @Test
    @DisplayName("B145 a call that throws is timed too, and leaves those around it right")
    void failures() {
        NodeRegistry registry = new NodeRegistry();
        NodeTimes outer = registry.open("outer " + topic);
        NodeTimes inner = registry.open("inner " + topic);
        long before = outer.enter();
        inner.leave(inner.enter(), 70);
        inner.leave(inner.enter(), 20);
        outer.leave(before, 100);
        assertThat(List.of(told(outer, "busy-ns-total"), told(outer, "max-ns"), told(outer, "calls-total")))
                .containsExactly(10L, 100L, 1L);
        assertThat(List.of(told(inner, "busy-ns-total"), told(inner, "max-ns"), told(inner, "calls-total")))
                .containsExactly(90L, 70L, 2L);
        registry.close(outer);
        registry.close(inner);
    }

    private static Object told(NodeTimes times, String name) {
        try {
            return times.getAttribute(name);
        } catch (javax.management.AttributeNotFoundException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
