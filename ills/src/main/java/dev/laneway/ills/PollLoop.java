package dev.laneway.ills;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * A member as most are written: polls, handles record after record, commits the offset after the last one. A record
 * that fails is sought again. Its consumer belongs to its thread.
 */
final class PollLoop implements Patient.Member {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

    private final Settings settings;
    private final Handling handling;
    private final @Nullable Producer<String, byte[]> output;
    private final long stayNanos;
    private final Thread thread = Thread.ofPlatform().name("handler").unstarted(this::run);
    private volatile boolean leaves;
    private volatile @Nullable KafkaConsumer<String, byte[]> open;

    private PollLoop(Settings settings, Handling handling) {
        this.settings = settings;
        this.handling = handling;
        this.output = settings.has("output") ? output(settings) : null;
        this.stayNanos = settings.number("stay-ms", Long.MAX_VALUE / 1_000_000) * 1_000_000;
    }

    static PollLoop start(Settings settings, Handling handling) {
        PollLoop loop = new PollLoop(settings, handling);
        loop.thread.start();
        return loop;
    }

    private static Producer<String, byte[]> output(Settings settings) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        settings.text("output-bootstrap"),
                        "client.id",
                        settings.text("client") + "-output"),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    /** Fails for bytes that are no value, as a deserialiser with a schema does. */
    private static final class Strict implements Deserializer<byte[]> {
        @Override
        public byte[] deserialize(String topic, byte[] data) {
            if (Handling.is(data, Handling.POISON)) {
                throw new IllegalArgumentException("no value of this schema");
            }
            return data;
        }
    }

    private void run() {
        Map<String, Object> properties = Patient.consumer(settings);
        Deserializer<byte[]> values = settings.has("strict") ? new Strict() : (topic, data) -> data;
        while (!leaves) {
            long joined = System.nanoTime();
            try (KafkaConsumer<String, byte[]> consumer =
                    new KafkaConsumer<>(properties, new StringDeserializer(), values)) {
                open = consumer;
                consumer.subscribe(settings.list("topics"));
                while (!leaves && System.nanoTime() - joined < stayNanos) {
                    turn(consumer);
                }
            } catch (WakeupException leave) {
                return;
            }
        }
    }

    private void turn(KafkaConsumer<String, byte[]> consumer) {
        ConsumerRecords<String, byte[]> polled;
        try {
            polled = consumer.poll(POLL);
        } catch (RecordDeserializationException unreadable) {
            Handling.backOff();
            return; // The next poll meets it again.
        }
        Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();
        boolean failed = false;
        for (TopicPartition partition : polled.partitions()) {
            failed |= !handleAll(consumer, partition, polled.records(partition), done);
        }
        if (output != null && !settings.has("wait-for-each")) {
            output.flush();
        }
        commit(consumer, done);
        if (failed) {
            Handling.backOff();
        }
    }

    private boolean handleAll(
            KafkaConsumer<String, byte[]> consumer,
            TopicPartition partition,
            List<ConsumerRecord<String, byte[]>> records,
            Map<TopicPartition, OffsetAndMetadata> done) {
        for (ConsumerRecord<String, byte[]> record : records) {
            try {
                handling.handle(partition + "@" + record.offset(), record.key(), record.value());
                send(record);
            } catch (Handling.Failure tryAgain) {
                consumer.seek(partition, record.offset());
                return false;
            }
            done.put(partition, new OffsetAndMetadata(record.offset() + 1));
        }
        return true;
    }

    private void send(ConsumerRecord<String, byte[]> record) {
        if (output == null) {
            return;
        }
        var sent = output.send(new ProducerRecord<>(settings.text("output"), record.key(), record.value()));
        if (settings.has("wait-for-each")) {
            try {
                var _ = sent.get();
            } catch (InterruptedException | java.util.concurrent.ExecutionException failed) {
                throw new Handling.Failure("not written: " + failed);
            }
        }
    }

    /** Who was put out of the group has nothing to commit, and the next poll joins it again. */
    private static void commit(KafkaConsumer<String, byte[]> consumer, Map<TopicPartition, OffsetAndMetadata> done) {
        if (done.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(done, Duration.ofSeconds(5));
        } catch (WakeupException leave) {
            throw leave;
        } catch (CommitFailedException | RebalanceInProgressException late) {
            say("commit refused: " + late.getMessage());
        } catch (KafkaException away) {
            say("commit failed: " + away.getMessage());
        }
    }

    private static void say(String line) {
        System.out.println(line);
    }

    @Override
    public void leave() {
        leaves = true;
        KafkaConsumer<String, byte[]> consumer = open;
        if (consumer != null) {
            consumer.wakeup();
        }
        try {
            thread.join(CLOSE_LIMIT.multipliedBy(2));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
