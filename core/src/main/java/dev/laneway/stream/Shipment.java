package dev.laneway.stream;

import dev.laneway.SendFailedException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * One element on its way to the broker. The drain sends it; any thread answers; the drain looks at it when it is
 * answered.
 */
final class Shipment<T> {
    final T element;
    final List<ProducerRecord<byte[], byte[]>> records;
    final long bytes;
    /** Where the records are; null at the place of one that is not acknowledged. */
    final @Nullable RecordMetadata[] metadata;

    /** Null where there is one record only, whose answer is the last. */
    private final @Nullable AtomicInteger unanswered;

    private volatile boolean acknowledged;
    private volatile int refused;
    private volatile @Nullable Exception failure;

    // Only the drain touches these.
    int attempts;
    /** Its end, when it cannot be sent. */
    @Nullable
    SendFailedException refusal;
    /** Whether that is the stream's end, too. */
    boolean stops;
    /** Forgets its next attempt. */
    @Nullable
    Runnable forget;

    Shipment(T element, List<ProducerRecord<byte[], byte[]>> records, long bytes) {
        this.element = element;
        this.records = records;
        this.bytes = bytes;
        this.metadata = new RecordMetadata[records.size()];
        this.unanswered = records.size() == 1 ? null : new AtomicInteger();
    }

    /** How much of the budget of records it takes. */
    int weight() {
        return Math.max(1, records.size());
    }

    /** Whether every record is acknowledged. */
    boolean isAcknowledged() {
        return acknowledged;
    }

    /** Why a record was refused; null if none was. */
    @Nullable
    Exception failure() {
        return failure;
    }

    /** The position of a record that was refused. */
    int refused() {
        return refused;
    }

    /**
     * Sends what is not acknowledged, in order.
     *
     * @param answered called once, by any thread, when every record was acknowledged or refused
     */
    void send(Producer<byte[], byte[]> producer, Consumer<Shipment<T>> answered) {
        attempts++;
        failure = null;
        AtomicInteger count = unanswered;
        if (count == null) {
            send(producer, 0, answered);
            return;
        }
        // One more than there are records, so that no answer is the last before the loop has ended.
        count.set(1);
        for (int i = 0; i < metadata.length; i++) {
            if (metadata[i] == null) {
                count.incrementAndGet();
                send(producer, i, answered);
            }
        }
        answer(-1, null, null, answered);
    }

    private void send(Producer<byte[], byte[]> producer, int position, Consumer<Shipment<T>> answered) {
        try {
            // The callback tells what the future would.
            var _ = producer.send(
                    records.get(position), (where, refusal) -> answer(position, where, refusal, answered));
        } catch (RuntimeException thrown) {
            answer(position, null, thrown, answered);
        }
    }

    private void answer(
            int position, @Nullable RecordMetadata where, @Nullable Exception refusal, Consumer<Shipment<T>> answered) {
        if (refusal != null) {
            refused = position;
            failure = refusal;
        } else if (position >= 0) {
            metadata[position] = where; // Each answer has its own place; what is written below publishes it.
        }
        AtomicInteger count = unanswered;
        if (count == null || count.decrementAndGet() == 0) {
            acknowledged = failure == null;
            answered.accept(this);
        }
    }
}
