package dev.laneway.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;

import dev.laneway.LaneKey;
import dev.laneway.Laneway;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Books orders whose key is the shop. There are two shops, so by key two orders are booked at a time. What must stay in
 * order are those of a customer, whom a header names: by that, forty are. A customer's orders are all of one shop, and
 * so in one partition.
 */
final class OrdersByCustomer {
    static final int ORDERS = 400;
    static final int CUSTOMERS = 40;
    private static final int SHOPS = 2;
    private static final String TOPIC = "orders";

    private OrdersByCustomer() {}

    /** What was booked for each customer, and how much at once. Thread-safe. */
    static final class Ledger {
        private final Map<String, List<String>> booked = new ConcurrentHashMap<>();
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        void book(String customer, String order) throws InterruptedException {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            Thread.sleep(2);
            booked.computeIfAbsent(customer, _ -> Collections.synchronizedList(new ArrayList<>()))
                    .add(order);
            running.decrementAndGet();
        }

        Map<String, List<String>> booked() {
            return booked;
        }

        int mostAtOnce() {
            return most.get();
        }
    }

    static Laneway start(Map<String, Object> kafkaConfig, Ledger ledger) {
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(TOPIC)
                .laneKey(LaneKey.header("customer"))
                .process(record -> ledger.book(customer(record), record.value()));
    }

    private static String customer(ConsumerRecord<?, ?> record) {
        return new String(record.headers().lastHeader("customer").value(), UTF_8);
    }

    /** Sends orders to the topic and books them. */
    static void run(Cluster cluster, Ledger ledger) throws Exception {
        cluster.createTopics(TOPIC);
        cluster.send(orders());
        try (Laneway laneway = start(cluster.consumer("orders-to-ledger"), ledger)) {
            Cluster.awaitProcessed(laneway, ORDERS, ofSeconds(60));
            laneway.drain(ofSeconds(10));
        }
    }

    public static void main(String... args) throws Exception {
        Ledger ledger = new Ledger();
        try (Cluster cluster = Cluster.from(args)) {
            run(cluster, ledger);
        }
        System.out.println(ledger.booked().get("customer-0"));
        System.out.println("at most " + ledger.mostAtOnce() + " at once");
    }

    private static List<ProducerRecord<String, byte[]>> orders() {
        return IntStream.range(0, ORDERS)
                .mapToObj(i -> {
                    int customer = i % CUSTOMERS;
                    ProducerRecord<String, byte[]> order =
                            Cluster.text(TOPIC, "shop-" + customer % SHOPS, String.valueOf(i));
                    order.headers().add("customer", ("customer-" + customer).getBytes(UTF_8));
                    return order;
                })
                .toList();
    }
}
