package dev.laneway.stream;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A process that copies a topic by a stream until it is killed. Each copy has the key of its original, and as its value
 * the original's partition, offset and value.
 */
final class StreamProcess {
    /** How a stream copies. */
    enum Kind {
        AT_LEAST_ONCE,
        EXACTLY_ONCE
    }

    private StreamProcess() {}

    /** Arguments: kind, brokers, group, transactional id, input, output. */
    public static void main(String... args) throws Exception {
        Kind kind = Kind.valueOf(args[0]);
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                args[1],
                "group.id",
                args[2],
                "auto.offset.reset",
                "earliest",
                "session.timeout.ms",
                1_500,
                "heartbeat.interval.ms",
                200);
        Control control = copy(kind, config, args[3], args[4], args[5]);
        control.completion().toCompletableFuture().join();
    }

    private static Control copy(Kind kind, Map<String, Object> config, String id, String in, String out) {
        var settings = ConsumerSettings.of(config, new StringDeserializer(), new StringDeserializer());
        if (kind == Kind.AT_LEAST_ONCE) {
            var sending = ProducerSettings.of(
                    Map.of("bootstrap.servers", config.get("bootstrap.servers")),
                    new StringSerializer(),
                    new StringSerializer());
            return KafkaSource.committable(settings, Subscription.topics(in))
                    .mapByKey(16, CommittableRecord::key, read -> envelope(out, read))
                    .to(KafkaSink.committable(
                            sending, CommitterSettings.DEFAULTS.withMaxInterval(Duration.ofMillis(100))));
        }
        var transactions = TransactionSettings.of(id, new StringSerializer(), new StringSerializer())
                .withInterval(Duration.ofMillis(50));
        return KafkaSource.transactional(settings, Subscription.topics(in), transactions)
                .mapByKey(16, CommittableRecord::key, read -> envelope(out, read))
                .to(KafkaSink.transactional(transactions));
    }

    private static Envelope<String, String, CommittableRecord<String, String>> envelope(
            String out, CommittableRecord<String, String> read) {
        String copy = read.record().partition() + " " + read.record().offset() + " " + read.value();
        return Envelope.single(new ProducerRecord<>(out, read.key(), copy), read);
    }
}
