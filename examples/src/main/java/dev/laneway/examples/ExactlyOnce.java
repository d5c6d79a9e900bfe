package dev.laneway.examples;

import dev.laneway.Laneway;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Reads orders and writes an invoice for each, exactly once: whatever crashes, those who read what is committed see one
 * invoice for each order, a customer's in order. Ctrl-C ends it.
 */
final class ExactlyOnce {
    static final int ORDERS = 20;

    private ExactlyOnce() {}

    /** Writes invoices until the process ends or this thread is interrupted. */
    static void writeInvoices(Map<String, Object> kafkaConfig, String hostName) throws InterruptedException {
        try (Laneway laneway = Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe("purchases")
                .exactlyOnce("billing-" + hostName)
                .transform(
                        new StringSerializer(),
                        new StringSerializer(),
                        order -> List.of(invoice(order.key(), order.value())))) {
            laneway.awaitTermination();
        }
    }

    private static ProducerRecord<String, String> invoice(String customer, String order) {
        return new ProducerRecord<>("invoices", customer, "invoice for " + order);
    }

    public static void main(String... args) throws Exception {
        try (Cluster cluster = Cluster.from(args)) {
            cluster.createTopics("purchases", "invoices");
            cluster.send(orders());
            System.out.println("writing invoices; read them with isolation.level=read_committed");
            writeInvoices(cluster.consumer("billing"), "example");
        }
    }

    private static List<ProducerRecord<String, byte[]>> orders() {
        return IntStream.range(0, ORDERS)
                .mapToObj(i -> Cluster.text("purchases", "customer-" + i % 4, "order-" + i))
                .toList();
    }
}
