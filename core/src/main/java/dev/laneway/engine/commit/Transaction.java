package dev.laneway.engine.commit;

import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.RecordEmission;
import dev.laneway.engine.track.TransactionPart;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What is written at once: the progress of partitions and all that their done records emit. Immutable.
 *
 * @param parts by partition, in the order in which they are written
 * @param offsets the progress of all, in as many requests as it takes
 * @param group the membership under which the progress was made; the broker refuses one of the past
 */
record Transaction(
        Map<Partition, TransactionPart> parts,
        List<Map<TopicPartition, OffsetAndMetadata>> offsets,
        ConsumerGroupMetadata group) {
    /** Whose progress it contains. */
    List<TopicPartition> ids() {
        return parts.keySet().stream().map(partition -> partition.id).toList();
    }

    Map<Partition, Progress> progress() {
        return progress(parts);
    }

    static Map<Partition, Progress> progress(Map<Partition, TransactionPart> parts) {
        Map<Partition, Progress> progress = new LinkedHashMap<>();
        parts.forEach((partition, part) -> progress.put(partition, part.progress()));
        return progress;
    }

    /** How a transaction ended. */
    sealed interface Ending {
        /** Null where everything is written. */
        default @Nullable Exception failure() {
            return switch (this) {
                case Committed committed -> null;
                case Aborted(Exception cause) -> cause;
                case Refused(var culprit, Exception cause) -> cause;
                case Lost(Exception cause) -> cause;
            };
        }
    }

    /** Everything is written. */
    record Committed() implements Ending {}

    /** Nothing is written, and it may be tried again. */
    record Aborted(Exception cause) implements Ending {}

    /** Nothing is written, and will not be as long as it contains this. */
    record Refused(RecordEmission culprit, Exception cause) implements Ending {}

    /** The producer can do nothing any more; what became of the transaction is not known here. */
    record Lost(Exception cause) implements Ending {}
}
