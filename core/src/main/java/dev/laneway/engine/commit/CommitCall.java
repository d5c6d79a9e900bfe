package dev.laneway.engine.commit;

import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/**
 * {@code commitAsync}, whose every failure the callback gets. The client of the classic protocol (4.3.1) looks for an
 * unknown coordinator inside that call: there a late wake-up ends it, and it throws what the coordinator refuses. Then
 * nothing was sent, and the callback hears nothing.
 */
public final class CommitCall {
    private CommitCall() {}

    public static void send(
            Consumer<byte[], byte[]> consumer,
            Map<TopicPartition, OffsetAndMetadata> offsets,
            OffsetCommitCallback callback) {
        while (true) {
            try {
                consumer.commitAsync(offsets, callback);
                return;
            } catch (WakeupException late) {
                // It was meant for a poll that has ended, and is used up.
            } catch (RuntimeException refused) {
                callback.onComplete(offsets, refused);
                return;
            }
        }
    }
}
