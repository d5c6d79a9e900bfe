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
 * What a source's group and topics look like. It asks through a client of its own, which is no member of the group, so
 * that an answer never waits for a stream, nor a stream for it. Each answer fails after the settings' broker limit, as
 * Kafka's client keeps it: that of the consumer protocol may come later (4.3.1: after 4 s where 2 s were allowed).
 * Thread-safe; to be closed.
 */
public final class KafkaMetadata implements AutoCloseable {
    private final ConsumerSettings<?, ?> settings;
    private final Duration limit;
    /** A consumer is for one thread at a time. */
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("laneway-metadata").factory());

    /** Made by the first question. That thread only. */
    private @Nullable Consumer<byte[], byte[]> consumer;

    private KafkaMetadata(ConsumerSettings<?, ?> settings) {
        this.settings = settings;
        this.limit = settings.brokerLimit();
    }

    /** With the connection and the group of these settings. Connects when it is first asked. */
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

    /** What the group has committed; partitions without a committed offset are missing. */
    public CompletionStage<Map<TopicPartition, OffsetAndMetadata>> committed(Collection<TopicPartition> partitions) {
        Set<TopicPartition> asked = Set.copyOf(partitions);
        return ask(client -> {
            Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>(client.committed(asked, limit));
            committed.values().removeIf(offset -> offset == null);
            return Map.copyOf(committed);
        });
    }

    /** The partitions of a topic; empty when there is none of that name. */
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
            // A client keeps the question that it gave up, and would answer the next one with what that one hears,
            // however old it is by then (classic consumers' committed offsets, 4.3.1). A new client has heard nothing.
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

    /** Ends the client, after the answers that are asked for already. Waits for that. */
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
