package dev.laneway.examples;

import static java.time.Duration.ofSeconds;

import dev.laneway.stream.CommittableRecord;
import dev.laneway.stream.ConsumerSettings;
import dev.laneway.stream.Control;
import dev.laneway.stream.Envelope;
import dev.laneway.stream.KafkaSink;
import dev.laneway.stream.KafkaSource;
import dev.laneway.stream.Subscription;
import dev.laneway.stream.TransactionSettings;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A stream that reads payments and writes a receipt for each large one, exactly once: whatever crashes, those who read
 * what is committed see one receipt for each, a customer's in order. Ctrl-C ends it.
 */
final class ExactlyOnceStreams {
    static final int PAYMENTS = 200;
    private static final int LARGE = 100;

    private ExactlyOnceStreams() {}

    /** Starts the stream. What {@code receipt} makes of a payment travels with the payment's place. */
    static Control start(Map<String, Object> kafkaConfig, String hostName) {
        var settings = ConsumerSettings.of(kafkaConfig, new StringDeserializer(), new StringDeserializer());
        var transactions =
                TransactionSettings.of("receipts-" + hostName, new StringSerializer(), new StringSerializer());
        return KafkaSource.transactional(settings, Subscription.topics("card-payments"), transactions)
                .mapByKey(16, CommittableRecord::key, ExactlyOnceStreams::receipt)
                .to(KafkaSink.transactional(transactions));
    }

    private static Envelope<String, String, CommittableRecord<String, String>> receipt(
            CommittableRecord<String, String> payment) {
        return Integer.parseInt(payment.value()) < LARGE
                ? Envelope.passThrough(payment)
                : Envelope.single(
                        new ProducerRecord<>("card-receipts", payment.key(), "receipt for " + payment.value()),
                        payment);
    }

    static List<ProducerRecord<String, byte[]>> payments() {
        return IntStream.range(0, PAYMENTS)
                .mapToObj(i -> Cluster.text("card-payments", "customer-" + i % 4, String.valueOf(i)))
                .toList();
    }

    public static void main(String... args) throws Exception {
        try (Cluster cluster = Cluster.from(args)) {
            cluster.createTopics("card-payments", "card-receipts");
            cluster.send(payments());
            Control control = start(cluster.consumer("card-receipts"), "example");
            System.out.println("writing receipts; read them with isolation.level=read_committed");
            try {
                Thread.currentThread().join();
            } finally {
                control.drainAndShutdown(ofSeconds(10)).toCompletableFuture().join();
            }
        }
    }
}
