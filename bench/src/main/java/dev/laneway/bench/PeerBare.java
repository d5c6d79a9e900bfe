package dev.laneway.bench;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The bare Kafka client: one thread that polls and handles one record after the other. What everything is measured
 * against.
 */
final class PeerBare implements Peer {
    private static final Duration POLL = Duration.ofMillis(100);

    private final String protocol;

    /**
     * Describes the loop.
     *
     * @param protocol {@code group.protocol}: classic, or consumer (KIP-848)
     */
    PeerBare(String protocol) {
        this.protocol = protocol;
    }

    @Override
    public Order order(Task task) {
        return Order.PARTITION;
    }

    @Override
    public Running start(Task task) {
        return new Loop(task, protocol);
    }

    private static final class Loop extends LoopThread {
        private final Task task;
        private final KafkaConsumer<byte[], byte[]> consumer;

        Loop(Task task, String protocol) {
            super("bare-loop");
            this.task = task;
            Map<String, Object> config = task.kafkaConfig();
            config.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, protocol);
            consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            begin();
        }

        @Override
        void run() throws InterruptedException {
            try (consumer) {
                consumer.subscribe(List.of(task.topic()));
                while (!isEnding()) {
                    turn(consumer.poll(POLL));
                }
            } catch (WakeupException ended) {
                // As asked for.
            }
        }

        private void turn(ConsumerRecords<byte[], byte[]> polled) throws InterruptedException {
            if (task.commits() == Commits.POLL_AHEAD && !polled.isEmpty()) {
                consumer.commitSync();
            }
            for (ConsumerRecord<byte[], byte[]> record : polled) {
                if (task.commits() == Commits.RECORD_AHEAD) {
                    consumer.commitSync(Map.of(
                            new TopicPartition(record.topic(), record.partition()),
                            new OffsetAndMetadata(record.offset() + 1)));
                }
                task.probe().handle(record);
                if (isEnding()) {
                    break;
                }
            }
            if (task.commits() == Commits.BATCH && !polled.isEmpty()) {
                if (isEnding()) {
                    consumer.commitSync();
                } else {
                    consumer.commitAsync();
                }
            }
        }

        @Override
        void wake() {
            if (task.commits() == Commits.NONE) {
                consumer.wakeup();
            }
        }
    }
}
