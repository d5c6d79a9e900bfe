package dev.laneway.proof;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.AcknowledgementCommitCallback;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A proxy of the share consumer that notes which records the broker has confirmed, or refused, as done. Thread-safe.
 */
final class ShareWitness {
    private static final Class<?>[] CONSUMER = {ShareConsumer.class};

    private final Journal journal;
    /** Acknowledgements without an answer. */
    private final Set<Said> said = ConcurrentHashMap.newKeySet();

    private record Said(TopicPartition id, long offset) {}

    ShareWitness(Journal journal) {
        this.journal = journal;
    }

    @SuppressWarnings("unchecked")
    ShareConsumer<byte[], byte[]> of(ShareConsumer<byte[], byte[]> client) {
        return (ShareConsumer<byte[], byte[]>) Proxy.newProxyInstance(
                ShareWitness.class.getClassLoader(), CONSUMER, (proxy, method, args) -> switch (method.getName()) {
                    case "acknowledge" -> {
                        if (args.length == 2 && args[1] == AcknowledgeType.ACCEPT) {
                            note((ConsumerRecord<?, ?>) args[0]);
                        }
                        yield Witness.call(client, method, args);
                    }
                    case "setAcknowledgementCommitCallback" ->
                        Witness.call(client, method, new Object[] {
                            noting((AcknowledgementCommitCallback) Objects.requireNonNull(args[0]))
                        });
                    default -> Witness.call(client, method, args);
                });
    }

    private void note(ConsumerRecord<?, ?> record) {
        TopicPartition id = new TopicPartition(record.topic(), record.partition());
        if (Witness.isNoted(id)) {
            said.add(new Said(id, record.offset()));
        }
    }

    private AcknowledgementCommitCallback noting(AcknowledgementCommitCallback told) {
        return (offsets, failure) -> {
            for (Map.Entry<TopicIdPartition, Set<Long>> some : offsets.entrySet()) {
                some.getValue().forEach(offset -> answered(some.getKey().topicPartition(), offset, failure));
            }
            told.onComplete(offsets, failure);
        };
    }

    private void answered(TopicPartition id, long offset, @Nullable Exception failure) {
        if (said.remove(new Said(id, offset))) {
            journal.add(now -> failure == null
                    ? new Note.Accepted(now, id.partition(), offset)
                    : new Note.Refused(now, id.partition(), offset));
        }
    }
}
