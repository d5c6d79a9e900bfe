package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the real exporters make of a real consumer's metrics has the consumer's own names again. */
class ExportersTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int MOST_NAMES = 60;

    private static final String USUAL_RULES = """
        lowercaseOutputName: true
        lowercaseOutputLabelNames: true
        rules:
        - pattern: "kafka.consumer<type=(.+), client-id=(.+), topic=(.+), partition=(.+)><>(.+):"
          name: kafka_consumer_$1_$5
          type: GAUGE
          labels: {client_type: consumer, client_id: "$2", topic: "$3", partition: "$4"}
        - pattern: "kafka.consumer<type=(.+), client-id=([^,]+)><>(.+):"
          name: kafka_consumer_$1_$3
          type: GAUGE
          labels: {client_type: consumer, client_id: "$2"}
        """;

    private final String topic = "exported-" + UUID.randomUUID();

    @TempDir
    private Path directory;

    private void load() {
        KAFKA.createTopic(topic, 1);
        KAFKA.produce(IntStream.range(0, 10_000)
                .mapToObj(_ -> new ProducerRecord<>(topic, 0, (byte[]) null, new byte[10]))
                .toList());
    }

    private static Set<Metric> ofClients(Sample sample) {
        return sample.numbers().keySet().stream()
                .filter(metric -> metric.tags().containsKey("client-id"))
                .filter(metric -> !metric.group().equals("kafka-metrics-count"))
                .collect(Collectors.toSet());
    }

    private static Set<String> jvm(Sample sample) {
        return sample.numbers().keySet().stream()
                .filter(metric -> metric.group().equals(Groups.JVM))
                .map(Metric::name)
                .collect(Collectors.toSet());
    }

    @Test
    @DisplayName("B83 Micrometer's Kafka metrics are read with Kafka's names, and its JVM metrics")
    void micrometer() throws IOException {
        load();
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (Consumer<byte[], byte[]> consumer =
                        KAFKA.consumer(Map.of("group.id", topic, "client.id", topic, "auto.offset.reset", "earliest"));
                KafkaClientMetrics kafka = new KafkaClientMetrics(consumer);
                JvmGcMetrics gc = new JvmGcMetrics();
                ClientMetricsSource inside = ClientMetricsSource.of("consumer", consumer::metrics)) {
            consumer.subscribe(List.of(topic));
            await().atMost(LIMIT)
                    .until(() -> !consumer.poll(Duration.ofMillis(100)).isEmpty());
            kafka.bindTo(registry);
            gc.bindTo(registry);
            new JvmMemoryMetrics().bindTo(registry);
            new ProcessorMetrics().bindTo(registry);
            new UptimeMetrics().bindTo(registry);
            System.gc();
            await().atMost(LIMIT).until(() -> registry.scrape().contains("jvm_gc_pause_seconds_sum"));
            Sample own = inside.read(LIMIT);
            try (RawHttpServer server = RawHttpServer.telling(registry.scrape());
                    PrometheusSource source = PrometheusSource.of(server.url())) {
                Sample told = source.read(LIMIT);
                assertThat(ofClients(told)).hasSizeGreaterThan(MOST_NAMES);
                assertThat(ofClients(own)).containsAll(ofClients(told));
                assertThat(told.numbers())
                        .containsKey(Metric.of(
                                "consumer-fetch-manager-metrics",
                                "records-lag",
                                Map.of("client-id", topic, "topic", topic, "partition", "0")));
                assertThat(told.texts())
                        .containsAllEntriesOf(Map.of(
                                Metric.of("app-info", "version", Map.of("client-id", topic)),
                                org.apache.kafka.common.utils.AppInfoParser.getVersion()));
                assertThat(jvm(told))
                        .contains(
                                "gc-time-ms-total",
                                "gc-count-total",
                                "heap-used-bytes",
                                "heap-max-bytes",
                                "process-cpu-ns-total",
                                "available-processors",
                                "uptime-ms");
                assertThat(told.numbers().get(Metric.of(Groups.JVM, "heap-max-bytes")))
                        .isEqualTo(own.numbers().get(Metric.of(Groups.JVM, "heap-max-bytes")));
            }
        }
    }

    /** Each has a topic and a group of its own: one that was killed keeps its partition until its session ends. */
    @ParameterizedTest
    @ValueSource(strings = {"rules:\n- pattern: '.*'\n", USUAL_RULES})
    @DisplayName(
            "B83 What jmx_exporter makes of a consumer without rules, and by usual ones, is read with Kafka's names")
    void jmxExporter(String config) throws IOException {
        load();
        Path rules = Files.writeString(directory.resolve("rules.yaml"), config);
        Path agent;
        try (Stream<Path> agents = Files.list(Path.of("target/agents"))) {
            agent = agents.filter(file -> file.getFileName().toString().startsWith("jmx_prometheus_javaagent"))
                    .findFirst()
                    .orElseThrow();
        }
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        try (ConsumerProcess child = ConsumerProcess.start(
                        directory,
                        KAFKA.bootstrapServers(),
                        topic,
                        "-javaagent:" + agent + "=127.0.0.1:" + port + ":" + rules);
                JmxSource jmx = JmxSource.ofPid(child.pid());
                PrometheusSource source = PrometheusSource.of("http://127.0.0.1:" + port + "/metrics")) {
            Sample told = source.read(LIMIT);
            Sample own = jmx.read(LIMIT);
            assertThat(ofClients(told)).hasSizeGreaterThan(MOST_NAMES);
            assertThat(ofClients(own)).containsAll(ofClients(told));
            Map<String, String> client = Map.of("client-id", "orders-client");
            Map<String, String> partition = Map.of("client-id", "orders-client", "topic", topic, "partition", "0");
            assertThat(told.numbers())
                    .containsKeys(
                            Metric.of("consumer-metrics", "time-between-poll-max", client),
                            Metric.of("consumer-metrics", "io-wait-time-ns-total", client),
                            Metric.of("consumer-coordinator-metrics", "last-rebalance-seconds-ago", client),
                            Metric.of("consumer-fetch-manager-metrics", "records-lag", partition));
            assertThat(jvm(told))
                    .contains(
                            "gc-time-ms-total",
                            "heap-used-bytes",
                            "heap-max-bytes",
                            "process-cpu-ns-total",
                            "uptime-ms");
        }
    }
}
