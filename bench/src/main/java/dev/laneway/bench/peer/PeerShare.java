package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Kafka's share consumer (KIP-932): one thread that polls and handles, with implicit acknowledgement. The broker keeps
 * what is done; there are no offsets to commit, and no order.
 */
final class PeerShare implements Peer {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Override
    public Order order(Task task) {
        return Order.NONE;
    }

    /** It has no offsets to compare. */
    @Override
    public boolean commits(Task task) {
        return false;
    }

    @Override
    public Running start(Task task) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", task.bootstrap()))) {
            Map<ConfigResource, Collection<AlterConfigOp>> earliest = Map.of(
                    new ConfigResource(ConfigResource.Type.GROUP, task.group()),
                    List.of(new AlterConfigOp(
                            new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET)));
            admin.incrementalAlterConfigs(earliest).all().get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        }
        return new Loop(task);
    }

    private static final class Loop extends LoopThread {
        private final Task task;
        private final KafkaShareConsumer<byte[], byte[]> consumer;

        Loop(Task task) {
            super("share-loop");
            this.task = task;
            Map<String, Object> config = task.kafkaConfig();
            config.remove(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
            config.remove(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG);
            consumer = new KafkaShareConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            begin();
        }

        @Override
        void run() throws InterruptedException {
            try (consumer) {
                consumer.subscribe(List.of(task.topic()));
                while (!isEnding()) {
                    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                        task.probe().handle(record);
                    }
                }
            }
        }
    }
}
