package dev.laneway.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.laneway.Backoff;
import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * The least that a consumer needs: what to read, what to do with a record, and what becomes of one that keeps failing.
 * Ctrl-C ends it: what is in flight finishes, and its offsets are committed.
 */
final class Hello {
    static final int ORDERS = 20;

    /** Where orders go. */
    interface Shop {
        void ship(String order) throws Exception;
    }

    private Hello() {}

    /** Ships orders until the process ends or this thread is interrupted. */
    static void shipOrders(Map<String, Object> kafkaConfig, Shop shop) throws InterruptedException {
        var fiveTries = FailurePolicy.retry(Backoff.exponential(ofMillis(100), ofSeconds(30)), 5);
        try (var laneway = Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe("orders")
                .concurrency(1_000)
                .onFailure(fiveTries.thenDeadLetter("orders.dlq"))
                .process(record -> shop.ship(record.value()))) {
            laneway.awaitTermination();
        }
    }

    public static void main(String... args) throws Exception {
        try (Cluster cluster = Cluster.from(args)) {
            cluster.createTopics("orders", "orders.dlq");
            cluster.send(orders());
            shipOrders(cluster.consumer("shop"), order -> System.out.println("shipping " + order));
        }
    }

    private static List<ProducerRecord<String, byte[]>> orders() {
        return IntStream.range(0, ORDERS)
                .mapToObj(i -> Cluster.text("orders", "customer-" + i % 4, "order-" + i))
                .toList();
    }
}
