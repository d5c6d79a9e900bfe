package dev.laneway.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * What a {@code @KafkaListener} with Spring Kafka's {@code DefaultErrorHandler} and
 * {@code DeadLetterPublishingRecoverer} does: three attempts, then the record goes to the topic with {@code -dlt} at
 * its end. docs/coming-from/spring-kafka.md sets both side by side.
 */
final class SpringMigration {
    /** Where parcels go. */
    interface Depot {
        void ship(String parcel) throws Exception;
    }

    private SpringMigration() {}

    static Laneway start(Map<String, Object> kafkaConfig, Depot depot) {
        FailurePolicy policy = FailurePolicy.retry(Backoff.fixed(ofMillis(20)).withJitter(0), 3)
                .thenDeadLetter((record, failure) -> record.topic() + "-dlt");
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe("parcels")
                .onFailure(policy)
                .process(record -> depot.ship(record.value()));
    }

    public static void main(String... args) throws Exception {
        ConcurrentLinkedQueue<String> shipped = new ConcurrentLinkedQueue<>();
        try (Cluster cluster = Cluster.from(args)) {
            cluster.createTopics("parcels", "parcels-dlt");
            cluster.send(IntStream.range(0, 20)
                    .mapToObj(i -> Cluster.text("parcels", "customer-" + i % 4, "parcel-" + i))
                    .toList());
            try (Laneway laneway = start(cluster.consumer("depot"), shipped::add)) {
                Cluster.awaitProcessed(laneway, 20, ofSeconds(60));
            }
        }
        System.out.println("shipped " + List.copyOf(shipped));
    }
}
