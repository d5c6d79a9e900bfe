package dev.laneway.stream;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Something read from Kafka that can be said to be done. What is delivered and not acknowledged holds the committed
 * offset back, so that a crash or the partition's next owner repeats it. Thread-safe; in any order; a second time
 * changes nothing.
 */
public sealed interface Acknowledgeable permits Offset, OffsetBatch, Committable, CommittableRecord {
    /**
     * Exactly this is done, and nothing before it: other libraries' {@code acknowledge} is {@link #acknowledgeUpTo}. A
     * memory operation: it reaches the broker with the next commit of the consumer, whoever asks for it, after
     * {@link ConsumerSettings#commitInterval} if nobody does, and at the latest before the partition is given up in
     * peace.
     */
    void acknowledge();

    /** This is done, and so is all that was delivered of its partition before it: what Kafka means by an offset. */
    void acknowledgeUpTo();

    /**
     * Acknowledges, and asks for a commit now. One commit answers all who ask while the one before is on its way.
     *
     * @return completes when the broker has confirmed it, and when the partition is no longer this consumer's, since
     *     then the offset is ignored; fails when the consumer has failed
     */
    CompletionStage<@Nullable Void> commit();
}
