package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Acknowledged;
import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.CopyTask;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.SendTask;
import dev.laneway.bench.measure.Task;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The bare Kafka client, to which all peers are compared: one thread that polls and handles one record after the other.
 * It commits batches after each poll; or at an interval, and with the socket's receive buffer, that are Laneway's.
 */
final class PeerBare implements Peer, Sender, Copier {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int RECEIVE_BUFFER_OF_THE_SYSTEM = -1;

    private final Map<String, Object> config;
    private final Duration commitInterval;

    /**
     * Describes the loop.
     *
     * @param protocol {@code group.protocol}: classic, or consumer (KIP-848)
     */
    PeerBare(String protocol) {
        this(protocol, Duration.ZERO);
    }

    /**
     * The same with fewer commits and the receive buffer that Laneway has.
     *
     * @param commitInterval the time between two commits of batches; zero commits after each poll
     */
    PeerBare(String protocol, Duration commitInterval) {
        this(Map.of(ConsumerConfig.GROUP_PROTOCOL_CONFIG, protocol), commitInterval);
    }

    /** The loop of a classic group with an assignor that is not Kafka's default. */
    PeerBare(Class<? extends ConsumerPartitionAssignor> assignor) {
        this(Map.of(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, assignor.getName()), Duration.ZERO);
    }

    private PeerBare(Map<String, Object> config, Duration commitInterval) {
        this.config = config;
        this.commitInterval = commitInterval;
    }

    @Override
    public Order order(Task task) {
        return Order.PARTITION;
    }

    @Override
    public Running start(Task task) {
        return new Loop(task, config, commitInterval);
    }

    @Override
    public void send(SendTask task) throws InterruptedException {
        Acknowledged acknowledged = new Acknowledged(task.inFlight());
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(task.kafkaConfig(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long index = 0; index < task.records(); index++) {
                acknowledged.await();
                var _ = producer.send(task.record(index), acknowledged);
            }
            producer.flush();
        }
        acknowledged.check();
    }

    @Override
    public Running copy(CopyTask task) {
        return new Copying(task);
    }

    private static final class Loop extends LoopThread {
        private final Task task;
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final long commitIntervalNanos;
        private long committedNanos = System.nanoTime();

        Loop(Task task, Map<String, Object> own, Duration commitInterval) {
            super("bare-loop");
            this.task = task;
            commitIntervalNanos = commitInterval.toNanos();
            Map<String, Object> config = task.kafkaConfig();
            config.putAll(own);
            if (!commitInterval.isZero()) {
                config.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, RECEIVE_BUFFER_OF_THE_SYSTEM);
            }
            consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            begin();
        }

        @Override
        void run() throws InterruptedException {
            try (consumer) {
                consumer.subscribe(List.of(task.topic()), new CommitOnRevoke());
                while (!isEnding()) {
                    turn(consumer.poll(POLL));
                }
            } catch (WakeupException ended) {
                // As asked for.
            }
        }

        /** Records of partitions that a poll revokes were handled before it. */
        private final class CommitOnRevoke implements ConsumerRebalanceListener {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                if (task.commits() == Commits.BATCH) {
                    try {
                        consumer.commitSync();
                    } catch (RebalanceInProgressException others) {
                        if (!isEnding()) {
                            throw others;
                        } // Of a cooperative group whose members end one after another.
                    }
                }
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
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
                commitBatch();
            }
        }

        /** What is not committed when the loop ends is committed when its partitions are revoked. */
        private void commitBatch() {
            long now = System.nanoTime();
            if (isEnding()) {
                consumer.commitSync();
            } else if (now - committedNanos >= commitIntervalNanos) {
                consumer.commitAsync();
                committedNanos = now;
            }
        }

        @Override
        void wake() {
            if (task.commits() == Commits.NONE) {
                consumer.wakeup();
            }
        }
    }

    /** One transaction after another, each of what was polled in a tenth of a second. */
    private static final class Copying extends LoopThread {
        private static final long INTERVAL_NANOS = Duration.ofMillis(100).toNanos();

        private final CopyTask task;
        private final KafkaConsumer<byte[], byte[]> consumer;
        private final KafkaProducer<byte[], byte[]> producer;

        Copying(CopyTask task) {
            super("bare-copy");
            this.task = task;
            consumer =
                    new KafkaConsumer<>(task.kafkaConfig(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
            Map<String, Object> config = Map.of(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    task.bootstrap(),
                    ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                    task.transactionalId());
            producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
            begin();
        }

        @Override
        void run() {
            try (consumer;
                    producer) {
                consumer.subscribe(List.of(task.from()));
                producer.initTransactions();
                while (!isEnding()) {
                    transaction();
                }
            }
        }

        private void transaction() {
            ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
            if (polled.isEmpty()) {
                return;
            }
            producer.beginTransaction();
            long end = System.nanoTime() + INTERVAL_NANOS;
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            while (!polled.isEmpty()) {
                for (ConsumerRecord<byte[], byte[]> record : polled) {
                    var _ = producer.send(task.copy(record));
                }
                offsets.putAll(polled.nextOffsets());
                polled = System.nanoTime() - end < 0 ? consumer.poll(Duration.ZERO) : ConsumerRecords.empty();
            }
            producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
            producer.commitTransaction();
        }
    }
}
