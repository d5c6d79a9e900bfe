package dev.laneway.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.laneway.Laneway;
import dev.laneway.Outcome;
import io.smallrye.mutiny.Uni;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * What an {@code @Incoming} method of SmallRye Reactive Messaging does that answers with a {@link Uni}. A record is
 * done when its item has come; nothing blocks a thread. docs/coming-from/smallrye.md sets both side by side.
 */
final class SmallRyeMigration {
    /** A service that is called with Mutiny. */
    interface Greenhouse {
        Uni<Void> store(String plot, String reading);
    }

    private SmallRyeMigration() {}

    static Laneway start(Map<String, Object> kafkaConfig, Greenhouse greenhouse) {
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe("readings")
                .processAsync((record, context) -> greenhouse
                        .store(record.key(), record.value())
                        .map(stored -> Outcome.done())
                        .subscribeAsCompletionStage());
    }

    public static void main(String... args) throws Exception {
        try (Cluster cluster = Cluster.from(args)) {
            cluster.createTopics("readings");
            cluster.send(IntStream.range(0, 100)
                    .mapToObj(i -> Cluster.text("readings", "plot-" + i % 10, i + " %"))
                    .toList());
            try (Laneway laneway = start(
                    cluster.consumer("greenhouse"),
                    (plot, reading) ->
                            Uni.createFrom().voidItem().onItem().delayIt().by(ofMillis(5)))) {
                Cluster.awaitProcessed(laneway, 100, ofSeconds(60));
                System.out.println(laneway.snapshot().counters().processed() + " readings are stored");
            }
        }
    }
}
