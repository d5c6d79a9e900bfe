package dev.laneway.stream;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Queries about the group and the topics of a source. It uses a client of its own, which is no member of the group, so
 * queries and streams never wait for each other. A query fails after the settings' broker limit; with
 * {@code group.protocol=consumer} Kafka's client may take longer (4.3.1: 4 s instead of 2 s). Thread-safe; close it
 * after use.
 */
public final class KafkaMetadata implements AutoCloseable {
    private final ConsumerSettings<?, ?> settings;
    private final Duration limit;
    /** Kafka's consumer is not thread-safe: only this thread uses it. */
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("laneway-metadata").factory());

    /** Made for the first query. Used by that thread only. */
    private @Nullable Consumer<byte[], byte[]> consumer;

    private KafkaMetadata(ConsumerSettings<?, ?> settings) {
        this.settings = settings;
        this.limit = settings.limits().brokerLimit();
    }

    /** With the connection and the group of these settings. Connects with the first query. */
    public static KafkaMetadata of(ConsumerSettings<?, ?> settings) {
        return new KafkaMetadata(settings);
    }

    /** The offset after the last record of each partition. */
    public CompletionStage<Map<TopicPartition, Long>> endOffsets(Collection<TopicPartition> partitions) {
        Set<TopicPartition> asked = Set.copyOf(partitions);
        return ask(client -> client.endOffsets(asked, limit));
    }

    /** The first offset that each partition still has. */
    public CompletionStage<Map<TopicPartition, Long>> beginningOffsets(Collection<TopicPartition> partitions) {
        Set<TopicPartition> asked = Set.copyOf(partitions);
        return ask(client -> client.beginningOffsets(asked, limit));
    }

    /** The group's committed offsets; partitions without one are missing. */
    public CompletionStage<Map<TopicPartition, OffsetAndMetadata>> committed(Collection<TopicPartition> partitions) {
        Set<TopicPartition> asked = Set.copyOf(partitions);
        return ask(client -> {
            Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>(client.committed(asked, limit));
            committed.values().removeIf(offset -> offset == null);
            return Map.copyOf(committed);
        });
    }

    /** The partitions of a topic; empty if the topic does not exist. */
    public CompletionStage<List<PartitionInfo>> partitionsFor(String topic) {
        return ask(client -> {
            List<PartitionInfo> found = client.partitionsFor(topic, limit);
            return found == null ? List.of() : found;
        });
    }

    private <T> CompletionStage<T> ask(Function<Consumer<byte[], byte[]>, T> question) {
        try {
            return CompletableFuture.supplyAsync(() -> answer(question), thread).minimalCompletionStage();
        } catch (RejectedExecutionException closed) {
            return CompletableFuture.failedStage(new IllegalStateException("this metadata is closed", closed));
        }
    }

    private <T> T answer(Function<Consumer<byte[], byte[]>, T> question) {
        try {
            return question.apply(client());
        } catch (TimeoutException late) {
            // A client keeps a request that it gave up and would use its late answer for the next query, however old it
            // is (committed offsets with the classic protocol, 4.3.1). A new client has no such request.
            forgetClient(late);
            throw late;
        }
    }

    private void forgetClient(TimeoutException cause) {
        Consumer<byte[], byte[]> old = consumer;
        consumer = null;
        try {
            if (old != null) {
                old.close(CloseOptions.timeout(Duration.ZERO));
            }
        } catch (KafkaException e) {
            cause.addSuppressed(e);
        }
    }

    private Consumer<byte[], byte[]> client() {
        Consumer<byte[], byte[]> made = consumer;
        if (made == null) {
            made = consumer = open();
        }
        return made;
    }

    private Consumer<byte[], byte[]> open() {
        if (settings.clients() != null) {
            return settings.clients().get();
        }
        Map<String, Object> config = new HashMap<>(settings.kafkaConfig());
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        config.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        config.computeIfPresent(CommonClientConfigs.CLIENT_ID_CONFIG, (name, id) -> id + "-metadata");
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Closes the client after the queries that were made before. Waits for that. */
    @Override
    public void close() {
        try {
            thread.execute(() -> {
                if (consumer != null) {
                    consumer.close();
                }
            });
        } catch (RejectedExecutionException closed) {
            return;
        }
        thread.close();
    }
}
