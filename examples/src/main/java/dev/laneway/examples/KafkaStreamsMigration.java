package dev.laneway.examples;

import static java.time.Duration.ofSeconds;

import dev.laneway.Laneway;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What a stateless topology of Kafka Streams does with {@code exactly_once_v2}: it filters, maps and writes. The
 * mapping may call a slow service here, since keys do not wait for each other. docs/coming-from/kafka-streams.md sets
 * both side by side.
 */
final class KafkaStreamsMigration {
    private KafkaStreamsMigration() {}

    static Laneway start(Map<String, Object> kafkaConfig, String hostName) {
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe("clicks")
                .exactlyOnce("sessions-" + hostName)
                .transform(
                        new StringSerializer(),
                        new StringSerializer(),
                        click -> click.value().startsWith("bot")
                                ? List.of()
                                : List.of(new ProducerRecord<>("sessions", click.key(), "saw " + click.value())));
    }

    public static void main(String... args) throws Exception {
        try (Cluster cluster = Cluster.from(args)) {
            cluster.createTopics("clicks", "sessions");
            cluster.send(IntStream.range(0, 100)
                    .mapToObj(i -> Cluster.text("clicks", "user-" + i % 10, i % 5 == 0 ? "bot-" + i : "page-" + i))
                    .toList());
            try (Laneway laneway = start(cluster.consumer("sessions"), "example")) {
                Cluster.awaitProcessed(laneway, 100, ofSeconds(60));
                laneway.drain(ofSeconds(10));
                System.out.println(laneway.snapshot().counters().emitted() + " clicks were written to sessions");
            }
        }
    }
}
