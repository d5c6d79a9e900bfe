package dev.laneway.engine;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A commit that is sent once and waited for. Under the consumer protocol {@code commitSync} repeats its request even
 * when the group has thrown the member out meanwhile, and then without the member's epoch (CommitRequestManager of
 * kafka-clients 4.3.1). A group that has no members takes such a request without a look at who sends it
 * (ConsumerGroup.validateOffsetCommit of its coordinator): what others have committed in between would go back. An
 * asynchronous commit is never repeated by the client. Who wants to repeat it polls first, and is told there whether
 * the partitions are still its own: see {@link GroupNews}. The owner only.
 */
final class OneCommit {
    private final Consumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, OffsetAndMetadata> offsets;
    private boolean sent;
    private @Nullable Exception failure;

    OneCommit(Consumer<byte[], byte[]> consumer, Map<TopicPartition, OffsetAndMetadata> offsets) {
        this.consumer = consumer;
        this.offsets = offsets;
    }

    /** Sends it, the first time, and waits for the answer. */
    Boolean await(Duration left) {
        if (!sent) {
            consumer.commitAsync(offsets, (committed, error) -> failure = error);
            sent = true;
        }
        consumer.commitSync(Map.of(), left); // Commits nothing, but waits for what is on its way.
        return true;
    }

    /** To be called when the wait has ended. */
    void throwFailure() {
        if (failure instanceof RuntimeException refused) {
            throw refused;
        } else if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }
}
