package dev.laneway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.KafkaCluster;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus scrapes real consumers, two of which are well: their metrics arrive, each query of the dashboards
 * has an answer, and alerts fire for those that are ill.
 */
class RealPrometheusTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int RECORDS_EACH_TIME = 20;

    private final KafkaCluster kafka = EmbeddedKafka.shared();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final CountDownLatch released = new CountDownLatch(1);
    private final List<Laneway> consumers = new ArrayList<>();
    private final List<String> topics = new ArrayList<>();
    private final ScheduledExecutorService load = Executors.newSingleThreadScheduledExecutor();
    private HttpServer endpoint;
    private PrometheusServer prometheus;

    @TempDir
    Path folder;

    @BeforeEach
    void start() throws Exception {
        endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/metrics", exchange -> {
            byte[] text = registry.scrape().getBytes(UTF_8);
            exchange.sendResponseHeaders(200, text.length);
            try (var body = exchange.getResponseBody()) {
                body.write(text);
            }
        });
        endpoint.start();
        String target = "127.0.0.1:" + endpoint.getAddress().getPort();
        prometheus = PrometheusServer.start(folder, target, impatientRules());
    }

    /** The rules, with seconds for minutes: two until an alert fires, and five of lag for a minute of it. */
    private Path impatientRules() throws IOException {
        String rules = Files.readString(AlertRules.FILE)
                .replaceAll("(?m)^( +for:) \\d+[mh]$", "$1 2s")
                .replace("_max_lag_seconds[5m]", "_max_lag_seconds[5s]")
                .replace("offset 10m", "offset 6s")
                .replaceAll("(?m)( max_over_time|quantile_over_time)(\\(.*\\) >) 60$", "$1$2 5");
        assertThat(rules).contains("[5s]) > 5\n", "[5s] offset 6s)", "for: 2s").doesNotContain("for: 5m");
        return Files.writeString(folder.resolve("rules.yml"), rules);
    }

    @AfterEach
    void end() throws Exception {
        released.countDown();
        load.shutdownNow();
        if (prometheus != null) {
            prometheus.close();
        }
        endpoint.stop(0);
        consumers.forEach(Laneway::close);
    }

    private LanewayBuilder<byte[], byte[]> consumer(String name) {
        String topic = "prometheus-" + name;
        kafka.createTopic(topic, 2);
        topics.add(topic);
        return Laneway.consumer(Map.of(
                        "bootstrap.servers",
                        kafka.bootstrapServers(),
                        "group.id",
                        name,
                        "auto.offset.reset",
                        "earliest"))
                .name(name)
                .closeOnShutdown(false)
                .subscribe(topic)
                .observer(MicrometerMetrics.to(registry));
    }

    private void stage() {
        consumers.add(consumer("well").process(record -> {}));
        kafka.createTopic("prometheus-invoices", 1);
        consumers.add(consumer("exact")
                .exactlyOnce("prometheus-exact")
                .transform(
                        new ByteArraySerializer(),
                        new ByteArraySerializer(),
                        record -> List.of(new ProducerRecord<>("prometheus-invoices", record.value()))));
        consumers.add(consumer("stuck").stuckLimit(Duration.ofSeconds(5)).process(record -> {
            if (record.key()[0] == 0) {
                released.await();
            }
        }));
        kafka.createTopic("prometheus-dead", 1);
        consumers.add(consumer("failing")
                .onFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(10)), 2)
                        .thenDeadLetter("prometheus-dead"))
                .process(record -> {
                    if (record.key()[0] < RECORDS_EACH_TIME / 4) {
                        throw new IllegalStateException("no stock");
                    }
                }));
        consumers.add(consumer("slow").concurrency(2).process(record -> {
            var _ = released.await(500, TimeUnit.MILLISECONDS);
        }));
        consumers.add(consumer("gone").process(record -> {}));
        var _ = load.scheduleWithFixedDelay(this::produce, 0, 250, TimeUnit.MILLISECONDS);
    }

    private void produce() {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (String topic : topics) {
            for (byte i = 0; i < RECORDS_EACH_TIME; i++) {
                records.add(new ProducerRecord<>(topic, new byte[] {i}, new byte[] {i}));
            }
        }
        kafka.produce(records);
    }

    @Test
    @DisplayName(
            "B179 a real Prometheus gets the metrics, answers the dashboards, and fires for those that are ill alone")
    void scraped() throws Exception {
        await().atMost(LIMIT).until(prometheus::isReady);
        stage();
        await().atMost(LIMIT)
                .untilAsserted(() ->
                        assertThat(names()).containsAll(PromQuery.exported().keySet()));
        // Names come with the first consumer that is scraped; one that no rule has counted has never been there.
        await().atMost(LIMIT).untilAsserted(() -> assertThat(counted()).contains("gone"));
        consumers.removeLast().close();

        await().atMost(LIMIT).untilAsserted(() -> {
            Map<String, Set<String>> firing = firing();
            assertThat(firing.get("stuck")).contains("LanewayStuckKey");
            assertThat(firing.get("failing")).contains("LanewayManyAttemptsFail", "LanewayDeadLetters");
            assertThat(firing.get("slow")).contains("LanewayLagGrows", "LanewayTooFewThreads");
            assertThat(firing.get("gone")).containsExactlyInAnyOrder("LanewayMemberEnded", "LanewayNoMembers");
            assertThat(firing).as("well and exact are well").hasSize(4);
            assertThat(annotation("stuck", "LanewayStuckKey", "summary"))
                    .isEqualTo("stuck: one key holds up what is behind it");
            assertThat(annotation("slow", "LanewayTooFewThreads", "description"))
                    .matches("All workers of slow on 127\\.0\\.0\\.1:\\d+ are busy, and it is [\\dmhs. ]+ behind\\.");
        });

        await().atMost(LIMIT).untilAsserted(() -> assertThat(unanswered()).isEmpty());
        for (JsonNode group : prometheus.data("/api/v1/rules").get("groups")) {
            for (JsonNode rule : group.get("rules")) {
                assertThat(rule.get("health").asText()).as(rule.toString()).isEqualTo("ok");
            }
        }
    }

    private Set<String> names() throws Exception {
        Set<String> all = new TreeSet<>();
        prometheus.data("/api/v1/label/__name__/values").forEach(name -> all.add(name.asText()));
        return all;
    }

    /** The groups whose members the rules have counted. */
    private List<String> counted() throws Exception {
        return AlertRules.each(prometheus.query("laneway:consumers:highest"))
                .map(series -> series.get("metric")
                        .get("messaging_consumer_group_name")
                        .asText())
                .toList();
    }

    private List<JsonNode> alerts() throws Exception {
        return AlertRules.each(prometheus.data("/api/v1/alerts").get("alerts"))
                .filter(alert -> alert.get("state").asText().equals("firing"))
                .toList();
    }

    /** The names of the alerts that fire, by group. */
    private Map<String, Set<String>> firing() throws Exception {
        Map<String, Set<String>> all = new TreeMap<>();
        for (JsonNode alert : alerts()) {
            JsonNode labels = alert.get("labels");
            all.computeIfAbsent(labels.get("group").asText(), _ -> new TreeSet<>())
                    .add(labels.get("alertname").asText());
        }
        return all;
    }

    private String annotation(String group, String name, String key) throws Exception {
        return alerts().stream()
                .filter(alert -> alert.get("labels").get("group").asText().equals(group)
                        && alert.get("labels").get("alertname").asText().equals(name))
                .map(alert -> alert.get("annotations").get(key).asText())
                .findFirst()
                .orElse("it does not fire");
    }

    /** The dashboards' queries without a figure in the answer. */
    private List<Dashboard.Query> unanswered() throws Exception {
        List<Dashboard.Query> all = new ArrayList<>();
        for (Dashboard dashboard : Dashboard.all()) {
            for (Dashboard.Query query : dashboard.queries()) {
                if (values(query.text()).stream().allMatch("NaN"::equals)) {
                    all.add(query);
                }
            }
        }
        return all;
    }

    /** What Grafana would ask, with all groups and clients chosen. */
    private List<String> values(String query) throws Exception {
        String asked = query.replace("$__rate_interval", "30s").replaceAll("\\$(group|instance|client)\\b", ".+");
        assertThat(asked).doesNotContain("$");
        return AlertRules.each(prometheus.query(asked))
                .map(series -> series.get("value").get(1).asText())
                .toList();
    }
}
