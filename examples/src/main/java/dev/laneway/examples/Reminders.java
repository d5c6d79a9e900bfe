package dev.laneway.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;

import dev.laneway.Laneway;
import dev.laneway.NotBefore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Sends reminders when their time has come. A header names it, in milliseconds since 1970; without one it is now. */
final class Reminders {
    static final int REMINDERS = 100;
    static final long SPAN_MILLIS = 2_000;
    private static final String TOPIC = "reminders";

    private Reminders() {}

    /** When each reminder was due, and when it was sent. Thread-safe. */
    static final class Outbox {
        private final Map<String, Instant> due = new ConcurrentHashMap<>();
        private final Map<String, Instant> sent = new ConcurrentHashMap<>();

        void send(String reminder) {
            sent.put(reminder, Instant.now());
        }

        Map<String, Instant> due() {
            return due;
        }

        Map<String, Instant> sent() {
            return sent;
        }
    }

    static Laneway start(Map<String, Object> kafkaConfig, Outbox outbox) {
        return Laneway.consumer(kafkaConfig)
                .deserializers(new StringDeserializer(), new StringDeserializer())
                .subscribe(TOPIC)
                .notBefore(NotBefore.header("due"))
                .process(record -> outbox.send(record.value()));
    }

    /** Writes reminders to the topic and sends them. */
    static void run(Cluster cluster, Outbox outbox) throws Exception {
        cluster.createTopics(TOPIC);
        cluster.send(reminders(outbox));
        try (Laneway laneway = start(cluster.consumer("reminders-to-outbox"), outbox)) {
            Cluster.awaitProcessed(laneway, REMINDERS, ofSeconds(60));
            laneway.drain(ofSeconds(10));
        }
    }

    public static void main(String... args) throws Exception {
        Outbox outbox = new Outbox();
        try (Cluster cluster = Cluster.from(args)) {
            run(cluster, outbox);
        }
        outbox.due()
                .forEach((reminder, due) -> System.out.println(reminder + " was due " + due + " and sent "
                        + outbox.sent().get(reminder)));
    }

    private static List<ProducerRecord<String, byte[]>> reminders(Outbox outbox) {
        long now = System.currentTimeMillis();
        return IntStream.range(0, REMINDERS)
                .mapToObj(i -> {
                    ProducerRecord<String, byte[]> reminder = Cluster.text(TOPIC, "customer-" + i, "reminder " + i);
                    if (i % 2 == 0) {
                        long due = now + i * 37L % SPAN_MILLIS;
                        reminder.headers().add("due", String.valueOf(due).getBytes(UTF_8));
                        outbox.due().put("reminder " + i, Instant.ofEpochMilli(due));
                    }
                    return reminder;
                })
                .toList();
    }
}
