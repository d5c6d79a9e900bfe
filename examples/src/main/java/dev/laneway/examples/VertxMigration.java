package dev.laneway.examples;

import static java.time.Duration.ofSeconds;

import dev.laneway.Laneway;
import dev.laneway.Outcome;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * What a handler of the Vert.x Kafka client does that calls a Vert.x service. The record is done, and may be committed,
 * when the service's future has completed. docs/coming-from/vertx.md sets both side by side.
 */
final class VertxMigration {
    /** A service that is called with Vert.x. */
    interface Meter {
        Future<Void> store(String house, String reading);
    }

    private VertxMigration() {}

    static Laneway start(Map<String, Object> kafkaConfig, Meter meter) {
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe("meters")
                .processAsync((record, context) -> meter.store(record.key(), record.value())
                        .map(stored -> Outcome.done())
                        .toCompletionStage());
    }

    public static void main(String... args) throws Exception {
        Vertx vertx = Vertx.vertx();
        try (Cluster cluster = Cluster.from(args)) {
            cluster.createTopics("meters");
            cluster.send(IntStream.range(0, 100)
                    .mapToObj(i -> Cluster.text("meters", "house-" + i % 10, i + " kWh"))
                    .toList());
            try (Laneway laneway = start(
                    cluster.consumer("meters"),
                    (house, reading) -> vertx.timer(5, TimeUnit.MILLISECONDS).mapEmpty())) {
                Cluster.awaitProcessed(laneway, 100, ofSeconds(60));
                System.out.println(laneway.snapshot().counters().processed() + " readings are stored");
            }
        } finally {
            vertx.close();
        }
    }
}
