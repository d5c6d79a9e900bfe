package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Counters;
import dev.laneway.Laneway;
import dev.laneway.PartitionSnapshot;
import dev.laneway.Snapshot;
import dev.laneway.testkit.EmbeddedKafka;
import java.lang.management.ManagementFactory;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // Beans are closed early.
class LanewayBeanTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final String topic = "bean-" + UUID.randomUUID();

    private Laneway running() {
        KAFKA.createTopic(topic, 2);
        KAFKA.produce(List.of(new ProducerRecord<>(topic, new byte[1]), new ProducerRecord<>(topic, new byte[1])));
        Laneway laneway = Laneway.consumer(Map.of(
                        "bootstrap.servers",
                        KAFKA.bootstrapServers(),
                        "group.id",
                        topic,
                        "auto.offset.reset",
                        "earliest"))
                .subscribe(topic)
                .process(_ -> {});
        await().atMost(LIMIT)
                .until(() -> laneway.snapshot().counters().processed() == 2
                        && laneway.snapshot().partitions().stream()
                                .allMatch(part -> part.lag().isPresent()));
        return laneway;
    }

    private static Sample sample(Source source) {
        try (source) {
            return source.read(LIMIT);
        }
    }

    private static Set<Metric> of(Sample sample, String group, String client) {
        return Stream.concat(sample.numbers().keySet().stream(), sample.texts().keySet().stream())
                .filter(metric ->
                        metric.group().equals(group) && metric.tag("client-id").equals(client))
                .collect(Collectors.toSet());
    }

    @Test
    @DisplayName("B143 a Laneway that registers a bean tells by JMX what it tells in its process")
    void same() {
        String name = "orders, \"new\"=1?*" + topic;
        try (Laneway laneway = running();
                LanewayBean bean = LanewayBean.register(name, laneway)) {
            Sample inside = sample(LanewaySource.of(name, laneway));
            Sample outside = sample(JmxSource.ofPid(ProcessHandle.current().pid()));
            for (String group : List.of(Groups.LANEWAY, Groups.LANEWAY_PARTITION)) {
                assertThat(of(outside, group, name))
                        .isEqualTo(of(inside, group, name))
                        .hasSizeGreaterThan(20);
            }
            assertThat(outside.numbers())
                    .containsEntry(Metric.of(Groups.LANEWAY, "processed-total", Map.of("client-id", name)), 2.0);
            assertThat(outside.texts())
                    .containsEntry(Metric.of(Groups.LANEWAY, "health", Map.of("client-id", name)), "UP")
                    .containsEntry(Metric.of(Groups.LANEWAY, "reasons", Map.of("client-id", name)), "");
            bean.close();
            assertThat(of(sample(JmxSource.ofPid(ProcessHandle.current().pid())), Groups.LANEWAY, name))
                    .isEmpty();
        }
    }

    @Test
    @DisplayName("B143 the bean has all that a snapshot has")
    void complete() {
        Set<String> figures = names(LanewayFigures.class);
        Set<String> part = names(LanewayFigures.Part.class);
        assertThat(names(Counters.class)).allSatisfy(name -> assertThat(figures).contains(name + "Total"));
        assertThat(names(Snapshot.class))
                .filteredOn(name -> !Set.of("counters", "utilisation", "age").contains(name))
                .isSubsetOf(figures);
        assertThat(names(PartitionSnapshot.class))
                .filteredOn(
                        name -> !Set.of("paused", "pausedByUser", "oldestAge").contains(name))
                .isSubsetOf(part);
    }

    private static Set<String> names(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toSet());
    }

    @Test
    @DisplayName("B143 a name that is taken gets a number, so that no application fails for it; a closed bean frees it")
    void names() throws Exception {
        try (Laneway laneway = running();
                LanewayBean first = LanewayBean.register(topic, laneway);
                LanewayBean second = LanewayBean.register(topic, laneway)) {
            assertThat(registered()).containsExactlyInAnyOrder(topic, topic + "-2");
            first.close();
            first.close();
            assertThat(registered()).containsExactly(topic + "-2");
            LanewayBean.register(topic, laneway).close();
            second.close();
            assertThat(registered()).isEmpty();
        }
    }

    private List<String> registered() throws Exception {
        return ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("dev.laneway:type=laneway,*"), null)
                .stream()
                .map(bean -> bean.getKeyProperty("client-id"))
                .filter(name -> name.startsWith(topic))
                .toList();
    }
}
