package dev.laneway.bench.peer;

import dev.laneway.bench.measure.CopyTask;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;
import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import io.confluent.parallelconsumer.internal.DrainingCloseable.DrainingMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Confluent Parallel Consumer, its core: a pool of threads. Commits asynchronously, its fastest mode and its default,
 * at Laneway's interval of 1 s (its own is 5 s).
 */
final class PeerParallelConsumer implements Peer, Copier {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    private final ProcessingOrder ordering;

    PeerParallelConsumer(ProcessingOrder ordering) {
        this.ordering = ordering;
    }

    @Override
    public Order order(Task task) {
        return order(ordering);
    }

    static Order order(ProcessingOrder ordering) {
        return switch (ordering) {
            case KEY -> Order.KEY;
            case PARTITION -> Order.PARTITION;
            case UNORDERED -> Order.NONE;
        };
    }

    /** Its commits cannot be switched off. */
    @Override
    public boolean commits(Task task) {
        return true;
    }

    /** Options that its variants share. */
    static ParallelConsumerOptions<byte[], byte[]> options(Task task, ProcessingOrder ordering) {
        Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(task.kafkaConfig(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        return ParallelConsumerOptions.<byte[], byte[]>builder()
                .consumer(consumer)
                .ordering(ordering)
                .maxConcurrency(task.concurrency())
                .commitMode(CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS)
                .commitInterval(Duration.ofSeconds(1))
                .ignoreReflectiveAccessExceptionsForAutoCommitDisabledCheck(true)
                .build();
    }

    @Override
    public Running start(Task task) {
        ParallelStreamProcessor<byte[], byte[]> processor =
                ParallelStreamProcessor.createEosStreamProcessor(options(task, ordering));
        processor.subscribe(List.of(task.topic()));
        processor.poll(polled -> task.probe().handleUninterrupted(polled.getSingleConsumerRecord()));
        return running(processor);
    }

    @Override
    public Running copy(CopyTask task) {
        Map<String, Object> config = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                task.bootstrap(),
                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                task.transactionalId());
        ParallelStreamProcessor<byte[], byte[]> processor =
                ParallelStreamProcessor.createEosStreamProcessor(ParallelConsumerOptions.<byte[], byte[]>builder()
                        .consumer(new KafkaConsumer<>(
                                task.kafkaConfig(), new ByteArrayDeserializer(), new ByteArrayDeserializer()))
                        .producer(new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()))
                        .ordering(ordering)
                        .maxConcurrency(task.concurrency())
                        .commitMode(CommitMode.PERIODIC_TRANSACTIONAL_PRODUCER)
                        .commitInterval(Duration.ofMillis(100))
                        .ignoreReflectiveAccessExceptionsForAutoCommitDisabledCheck(true)
                        .build());
        processor.subscribe(List.of(task.from()));
        processor.pollAndProduce(polled -> task.copy(polled.getSingleConsumerRecord()));
        return running(processor);
    }

    private static Running running(ParallelStreamProcessor<byte[], byte[]> processor) {
        return new Running() {
            @Override
            public void check() {
                if (processor.isClosedOrFailed()) {
                    throw new IllegalStateException("Parallel Consumer has ended");
                }
            }

            @Override
            public void close() {
                processor.close(CLOSE_LIMIT, DrainingMode.DONT_DRAIN);
            }
        };
    }
}
