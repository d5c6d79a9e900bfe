package dev.laneway.dashboard;

import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.LanewayBuilder;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Consumers on a broker of this JVM: each is well until {@link #fallIll}, or has too little of something. */
final class Patients implements AutoCloseable {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final int PARTITIONS = 6;

    private final List<AutoCloseable> all = new ArrayList<>();
    private final CountDownLatch ill = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicLong stuckSince = new AtomicLong();
    private String watchedGroup = "";

    /** From now on they are ill. */
    void fallIll() {
        ill.countDown();
    }

    /** When the handler of the stuck key began to hang. */
    long stuckSinceMillis() {
        return stuckSince.get();
    }

    private boolean isIll() {
        return ill.getCount() == 0;
    }

    private Map<String, Object> config(String group) {
        return new HashMap<>(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                KAFKA.bootstrapServers(),
                ConsumerConfig.GROUP_ID_CONFIG,
                group,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest"));
    }

    private LanewayBuilder<byte[], byte[]> member(String topic, int concurrency) {
        return Laneway.consumer(config(topic)).subscribe(topic).concurrency(concurrency);
    }

    private <T extends AutoCloseable> T keep(T closeable) {
        all.addFirst(closeable);
        return closeable;
    }

    /** Sends so many records a second until the end. */
    private String load(String name, int rate, IntFunction<String> key) {
        String topic = name + "-" + UUID.randomUUID().toString().substring(0, 4);
        KAFKA.createTopic(topic, PARTITIONS);
        Producer<byte[], byte[]> producer = keep(KAFKA.producer(Map.of("linger.ms", "5")));
        background(() -> {
            long start = System.nanoTime();
            int sent = 0;
            while (!end.await(20, TimeUnit.MILLISECONDS)) {
                long due = (System.nanoTime() - start) * rate / 1_000_000_000;
                for (; sent < due; sent++) {
                    Future<?> _ = producer.send(
                            new ProducerRecord<>(topic, key.apply(sent).getBytes(StandardCharsets.UTF_8), new byte[8]));
                }
            }
        });
        return topic;
    }

    private interface Task {
        void run() throws Exception;
    }

    private void background(Task task) {
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                task.run();
            } catch (Exception closed) {
                // The test has ended.
            }
        });
        all.addFirst(() -> thread.join(Duration.ofSeconds(5)));
    }

    private void work(long millis) throws InterruptedException {
        end.await(millis, TimeUnit.MILLISECONDS);
    }

    /** A stuck key, and one whose records become dead letters, watched. */
    Laneway watched(String client, RecordWatch records) {
        watchedGroup = load("orders", 200, number -> "customer-" + number % 60);
        Map<String, Object> config = config(watchedGroup);
        config.put(ConsumerConfig.CLIENT_ID_CONFIG, client);
        KAFKA.createTopic(watchedGroup + ".dlq", 1);
        return keep(Laneway.consumer(config)
                .subscribe(watchedGroup)
                .concurrency(50)
                .onFailure(FailurePolicy.deadLetter(watchedGroup + ".dlq"))
                .observer(records)
                .process(record -> {
                    if (isIll() && new String(record.key(), StandardCharsets.UTF_8).equals("customer-7")) {
                        end.await();
                    }
                    if (isIll() && new String(record.key(), StandardCharsets.UTF_8).equals("customer-9")) {
                        throw new IllegalStateException("no such customer");
                    }
                    work(5);
                }));
    }

    String watchedGroup() {
        return watchedGroup;
    }

    Admin admin() {
        return Admin.create(Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, KAFKA.bootstrapServers()));
    }

    /** One key's handler hangs; others take 5 ms. */
    Laneway stuckKey() {
        String topic = load("orders", 200, number -> "customer-" + number % 60);
        return keep(member(topic, 50).process(record -> {
            if (isIll() && new String(record.key(), StandardCharsets.UTF_8).equals("customer-7")) {
                stuckSince.compareAndSet(0, System.currentTimeMillis());
                end.await();
            }
            work(5);
        }));
    }

    /** Most records have one key, and each takes 30 ms. */
    Laneway hotKey() {
        String topic = load("clicks", 120, number -> number % 10 == 0 ? "user-" + number % 500 : "user-0");
        return keep(member(topic, 50).process(record -> work(30)));
    }

    /** What the handlers call answers in 5 ms, then in 150. */
    Laneway slowDependency() {
        String topic = load("payments", 150, number -> "account-" + number % 500);
        return keep(member(topic, 8).process(record -> work(isIll() ? 150 : 5)));
    }

    /** Two workers for 100 records a second that take 50 ms each. */
    Laneway tooFewWorkers() {
        String topic = load("mails", 100, number -> "address-" + number % 500);
        return keep(member(topic, 2).process(record -> work(50)));
    }

    /** Another member comes and goes. */
    Laneway rebalancing() {
        String topic = load("events", 50, number -> "device-" + number % 100);
        Laneway member = keep(member(topic, 20).process(record -> work(5)));
        background(() -> {
            ill.await();
            while (end.getCount() > 0) {
                try (Consumer<byte[], byte[]> other = KAFKA.consumer(config(topic))) {
                    other.subscribe(List.of(topic));
                    for (int i = 0; i < 8; i++) {
                        other.poll(Duration.ofMillis(100));
                    }
                }
            }
        });
        return member;
    }

    Laneway healthy() {
        String topic = load("stock", 300, number -> "article-" + number % 300);
        return keep(member(topic, 50).process(record -> work(10)));
    }

    @Override
    public void close() {
        end.countDown();
        fallIll();
        for (AutoCloseable each : all) {
            try {
                each.close();
            } catch (Exception failed) {
                throw new AssertionError(failed);
            }
        }
    }
}
