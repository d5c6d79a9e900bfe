package dev.laneway.engine.track;

import dev.laneway.engine.runtime.DurationNanos;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What others tell the owner. Immutable; a future in an event is completed by the owner. */
public sealed interface Event {
    /** A lane's next attempt is due after the delay. */
    record Retry(Lane lane, long delayNanos) implements Event {}

    /** A delivery is to be sent again after the delay. */
    record Redeliver(OutgoingRecords delivery, long delayNanos) implements Event {}

    /** Something failed that nobody but the user can mend: the consumer stops. */
    record Failed(Throwable cause) implements Event {}

    /** Start no further record. */
    record PauseAll() implements Event {}

    /** Start no further record of these partitions. */
    record Pause(Collection<TopicPartition> partitions) implements Event {}

    /** End every pause. */
    record ResumeAll() implements Event {}

    /** End the pause of these partitions. */
    record Resume(Collection<TopicPartition> partitions) implements Event {}

    /** Go on at another offset. */
    record Seek(TopicPartition partition, long offset, CompletableFuture<Void> answer) implements Event {}

    /** The topic that the partition was begun in is gone, and another has its name. */
    record Recreated(Partition partition) implements Event {}

    /** Whoever keeps the offsets of partitions elsewhere has answered a question. */
    record Located(
            Set<TopicPartition> partitions,
            int question,
            @Nullable Map<TopicPartition, Long> offsets,
            @Nullable Throwable failure)
            implements Event {}

    /** Process what is held, then close. The answer says whether all of it was. */
    record Drain(Duration limit, CompletableFuture<Boolean> answer) implements Event {}

    /** Start nothing more, wait for what is in flight, commit, leave. The limit counts from when it was asked for. */
    record Close(Duration limit, long askedNanos) implements Event {
        /** When the limit is over. */
        long dueNanos() {
            return askedNanos + DurationNanos.of(limit);
        }
    }

    /** The stream has failed: nothing that it has been delivered is acknowledged any more. */
    record Abandon() implements Event {}
}
