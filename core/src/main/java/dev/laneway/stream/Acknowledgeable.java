package dev.laneway.stream;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Something read from Kafka that the stream acknowledges when it is done. A delivered record that is not acknowledged
 * holds the committed offset back, so that it is read again after a crash or by the partition's next owner. Acknowledge
 * in any order; a second acknowledgement has no effect. Thread-safe.
 */
public sealed interface Acknowledgeable permits Offset, OffsetBatch, Committable, CommittableRecord {
    /**
     * Only this is done, not what was delivered before it ({@code acknowledge} of other libraries is
     * {@link #acknowledgeUpTo}). Does not block: the next commit of the consumer covers it, at the latest after
     * {@link ConsumerSettings#commitInterval} and before the partition is given up in an orderly rebalance.
     */
    void acknowledge();

    /** This and all that was delivered of its partition before it are done. */
    void acknowledgeUpTo();

    /**
     * Acknowledges this and requests a commit now. Requests during a commit are answered together by the next one.
     *
     * @return completes when the broker has confirmed the commit, or when the partition no longer belongs to this
     *     consumer and the offset is ignored; fails if the consumer has failed
     */
    CompletionStage<@Nullable Void> commit();
}
