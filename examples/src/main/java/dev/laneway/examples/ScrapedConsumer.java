package dev.laneway.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;

import com.sun.net.httpserver.HttpServer;
import dev.laneway.Laneway;
import dev.laneway.metrics.MicrometerMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A consumer whose metrics Prometheus scrapes. One line registers them; they end with the consumer. */
final class ScrapedConsumer {
    static final int ORDERS = 1_000;
    private static final String TOPIC = "scraped-orders";

    private ScrapedConsumer() {}

    static Laneway start(Map<String, Object> kafkaConfig, MeterRegistry registry) {
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(TOPIC)
                .observer(MicrometerMetrics.to(registry))
                .process(record -> {});
    }

    /** Serves what is registered, as Prometheus wants it. */
    static HttpServer serve(PrometheusMeterRegistry registry) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            byte[] text = registry.scrape().getBytes(UTF_8);
            exchange.sendResponseHeaders(200, text.length);
            try (var body = exchange.getResponseBody()) {
                body.write(text);
            }
        });
        server.start();
        return server;
    }

    /** Handles orders, and returns what a scrape gets then. */
    static String run(Cluster cluster) throws Exception {
        cluster.createTopics(TOPIC);
        cluster.send(IntStream.range(0, ORDERS)
                .mapToObj(i -> Cluster.text(TOPIC, "customer-" + i % 40, "order-" + i))
                .toList());
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        HttpServer server = serve(registry);
        try (Laneway laneway = start(cluster.consumer("scraped-shop"), registry);
                HttpClient client = HttpClient.newHttpClient()) {
            Cluster.awaitProcessed(laneway, ORDERS, ofSeconds(60));
            URI metrics = URI.create("http://localhost:" + server.getAddress().getPort() + "/metrics");
            return client.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } finally {
            server.stop(0);
        }
    }

    public static void main(String... args) throws Exception {
        try (Cluster cluster = Cluster.from(args)) {
            run(cluster).lines().filter(line -> line.startsWith("laneway_")).forEach(System.out::println);
        }
    }
}
