package dev.laneway.examples;

import dev.laneway.Laneway;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * What an example runs on: the cluster of {@code --bootstrap HOST:PORT} or of the variable {@code LANEWAY_BOOTSTRAP},
 * else a broker inside this JVM. Thread-safe.
 */
final class Cluster implements AutoCloseable {
    private static final int PARTITIONS = 3;
    private static final Duration TIME_TO_CLOSE = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final String bootstrapServers;
    private final @Nullable EmbeddedKafka embedded;

    private Cluster(String bootstrapServers, @Nullable EmbeddedKafka embedded) {
        this.bootstrapServers = bootstrapServers;
        this.embedded = embedded;
    }

    static Cluster from(String... args) {
        Optional<String> given = Optional.ofNullable(System.getenv("LANEWAY_BOOTSTRAP"));
        if (args.length > 0) {
            if (args.length != 2 || !args[0].equals("--bootstrap")) {
                throw new IllegalArgumentException(
                        "arguments are " + Arrays.toString(args) + " but must be none or --bootstrap HOST:PORT");
            }
            given = Optional.of(args[1]);
        }
        if (given.isPresent()) {
            return new Cluster(given.get(), null);
        }
        leaveTimeToClose(Thread.currentThread());
        EmbeddedKafka embedded = EmbeddedKafka.start();
        return new Cluster(embedded.bootstrapServers(), embedded);
    }

    /** On Ctrl-C, Laneway ends the consumer; the JVM does not wait for the example, so a hook does. */
    private static void leaveTimeToClose(Thread example) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                example.join(TIME_TO_CLOSE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    /** Kafka's own properties, as a {@code KafkaConsumer} takes them. */
    Map<String, Object> consumer(String group) {
        return Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                ConsumerConfig.GROUP_ID_CONFIG, group,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    }

    /** Creates the topics that do not exist. */
    void createTopics(String... names) throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            List<NewTopic> topics = Arrays.stream(names)
                    .map(name -> new NewTopic(name, Optional.of(PARTITIONS), Optional.empty()))
                    .toList();
            for (Future<Void> created : admin.createTopics(topics).values().values()) {
                try {
                    created.get();
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof TopicExistsException)) {
                        throw e;
                    }
                }
            }
        }
    }

    /** Sends the records and returns when the broker has acknowledged all of them. */
    void send(List<ProducerRecord<String, byte[]>> records) throws InterruptedException, ExecutionException {
        // One request at a time: a new partition may refuse the first one and take the second, and then the first stays
        // out of sequence for ever.
        Map<String, Object> config =
                Map.of("bootstrap.servers", bootstrapServers, "max.in.flight.requests.per.connection", 1);
        try (var producer = new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (ProducerRecord<String, byte[]> record : records) {
                sent.add(producer.send(record));
            }
            for (Future<RecordMetadata> acknowledged : sent) {
                acknowledged.get();
            }
        }
    }

    static ProducerRecord<String, byte[]> text(String topic, String key, String value) {
        return new ProducerRecord<>(topic, key, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns when handlers have done as many records; throws what ended the consumer before. */
    static void awaitProcessed(Laneway laneway, long expected, Duration limit)
            throws InterruptedException, TimeoutException {
        long start = System.nanoTime();
        while (laneway.snapshot().counters().processed() < expected) {
            boolean ended = laneway.awaitTermination(LOOK);
            if (ended || System.nanoTime() - start > limit.toNanos()) {
                throw new TimeoutException(
                        laneway.snapshot().counters().processed() + " of " + expected + " records were processed");
            }
        }
    }

    @Override
    public void close() {
        if (embedded != null) {
            embedded.close();
        }
    }
}
