package dev.laneway.proof;

import dev.laneway.cli.workload.CopyHeaders;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A proxy of the engine's Kafka clients that notes the committed offsets that partitions start from, revocations, each
 * commit with its answer, and each acknowledged copy. Thread-safe.
 */
final class Witness {
    private static final Class<?>[] CONSUMER = {Consumer.class};
    private static final Class<?>[] PRODUCER = {Producer.class};

    /** Header of a copy: when the attempt that made it started. */
    private static final String STARTED = "laneway.source.started";

    private final Journal journal;
    private final AtomicLong tickets = new AtomicLong();

    Witness(Journal journal) {
        this.journal = journal;
    }

    @SuppressWarnings("unchecked")
    Consumer<byte[], byte[]> of(Consumer<byte[], byte[]> client) {
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                Witness.class.getClassLoader(), CONSUMER, (proxy, method, args) -> switch (method.getName()) {
                    case "subscribe" -> subscribe(client, method, args);
                    case "committed" -> committed(client, method, args);
                    case "commitSync" -> commitSync(client, method, args);
                    case "commitAsync" -> commitAsync(client, method, args);
                    default -> call(client, method, args);
                });
    }

    @SuppressWarnings("unchecked")
    Producer<byte[], byte[]> of(Producer<byte[], byte[]> client) {
        return (Producer<byte[], byte[]>) Proxy.newProxyInstance(
                Witness.class.getClassLoader(),
                PRODUCER,
                (proxy, method, args) -> method.getName().equals("send") && args.length == 2
                        ? client.send(
                                (ProducerRecord<byte[], byte[]>) args[0],
                                noting((ProducerRecord<byte[], byte[]>) args[0], (Callback) args[1]))
                        : call(client, method, args));
    }

    /** The engine's listener waits for handlers before it returns, so a note before it tells when the wait began. */
    private @Nullable Object subscribe(Consumer<byte[], byte[]> client, Method method, Object[] args) throws Throwable {
        ConsumerRebalanceListener told = (ConsumerRebalanceListener) args[1];
        ConsumerRebalanceListener noting = new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                told.onPartitionsAssigned(partitions);
            }

            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                partitions.stream()
                        .filter(Witness::isNoted)
                        .forEach(id -> journal.add(now -> new Note.Revoking(now, id.partition())));
                told.onPartitionsRevoked(partitions);
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> partitions) {
                told.onPartitionsLost(partitions);
            }
        };
        return call(client, method, new Object[] {args[0], noting});
    }

    @SuppressWarnings("unchecked")
    private Object committed(Consumer<byte[], byte[]> client, Method method, Object[] args) throws Throwable {
        Object answer = Objects.requireNonNull(call(client, method, args));
        Map<TopicPartition, @Nullable OffsetAndMetadata> committed =
                (Map<TopicPartition, @Nullable OffsetAndMetadata>) answer;
        for (TopicPartition id : (Collection<TopicPartition>) args[0]) {
            if (!isNoted(id)) {
                continue;
            }
            OffsetAndMetadata offset = committed.get(id);
            journal.add(now -> offset == null
                    ? new Note.Read(now, id.partition(), -1, "")
                    : new Note.Read(now, id.partition(), offset.offset(), offset.metadata()));
        }
        return answer;
    }

    @SuppressWarnings("unchecked")
    private @Nullable Object commitSync(Consumer<byte[], byte[]> client, Method method, Object[] args)
            throws Throwable {
        long ticket = committing((Map<TopicPartition, OffsetAndMetadata>) args[0]);
        try {
            Object answer = call(client, method, args);
            answered(ticket, null);
            return answer;
        } catch (Exception failure) {
            answered(ticket, failure);
            throw failure;
        }
    }

    @SuppressWarnings("unchecked")
    private @Nullable Object commitAsync(Consumer<byte[], byte[]> client, Method method, Object[] args)
            throws Throwable {
        long ticket = committing((Map<TopicPartition, OffsetAndMetadata>) args[0]);
        OffsetCommitCallback told = (OffsetCommitCallback) args[1];
        OffsetCommitCallback noting = (offsets, failure) -> {
            answered(ticket, failure);
            told.onComplete(offsets, failure);
        };
        return call(client, method, new Object[] {args[0], noting});
    }

    private long committing(Map<TopicPartition, OffsetAndMetadata> offsets) {
        long ticket = tickets.incrementAndGet();
        offsets.forEach((id, offset) -> {
            if (isNoted(id)) {
                journal.add(
                        now -> new Note.Committing(now, ticket, id.partition(), offset.offset(), offset.metadata()));
            }
        });
        return ticket;
    }

    /** Whether a partition belongs to the topic that stays; offsets of the one that is created again mean nothing. */
    static boolean isNoted(TopicPartition id) {
        return id.topic().equals(ChaosPlan.TOPIC);
    }

    private void answered(long ticket, @Nullable Exception failure) {
        String name = failure == null ? "" : failure.getClass().getSimpleName();
        journal.add(now -> new Note.Answered(now, ticket, name));
    }

    private Callback noting(ProducerRecord<byte[], byte[]> copy, Callback told) {
        int partition = Math.toIntExact(number(copy, CopyHeaders.PARTITION));
        long offset = number(copy, CopyHeaders.OFFSET);
        long started = number(copy, STARTED);
        return (metadata, failure) -> {
            if (failure == null) {
                journal.add(now -> new Note.Copied(now, partition, offset, started));
            }
            told.onCompletion(metadata, failure);
        };
    }

    /** Adds to a copy which attempt has made it. */
    static void mark(ProducerRecord<byte[], byte[]> copy, long startedMicros) {
        copy.headers().add(STARTED, Long.toString(startedMicros).getBytes(StandardCharsets.UTF_8));
    }

    private static long number(ProducerRecord<byte[], byte[]> copy, String name) {
        Header header = copy.headers().lastHeader(name);
        return Long.parseLong(new String(header.value(), StandardCharsets.UTF_8));
    }

    static @Nullable Object call(Object client, Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(client, args);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause() == null ? thrown : thrown.getCause();
        }
    }
}
