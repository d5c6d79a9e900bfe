package dev.laneway.engine.commit;

import dev.laneway.engine.runtime.EventCounts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * A commit that the client sends once and that is waited for. {@code commitSync} repeats its request by itself, which
 * does harm in two ways.
 *
 * <p>Under the consumer protocol it does so even when the group has thrown the member out meanwhile, and then without
 * the member's epoch (CommitRequestManager of kafka-clients 4.3.1). A group that has no members takes such a request
 * without a look at who sends it (ConsumerGroup.validateOffsetCommit of its coordinator): what others have committed in
 * between would go back. Who wants to repeat it polls first, and is told there whether the partitions are still its
 * own: see {@link MembershipFreshness}.
 *
 * <p>Under both protocols it does so for all of its time when the broker does not know one of the partitions, since its
 * topic was deleted; nobody else's records are handled meanwhile. The owner only.
 */
final class SingleAttemptCommit {
    private static final Duration FIRST_SLICE = Duration.ofMillis(10);
    private static final Duration LONGEST_SLICE = Duration.ofMillis(200);
    /** What Kafka can count. */
    private static final Duration LEAST = Duration.ofMillis(1);

    private final Consumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, OffsetAndMetadata> offsets;
    private final EventCounts counts;
    private boolean sent;
    private boolean answered;
    private @Nullable Exception failure;

    SingleAttemptCommit(
            Consumer<byte[], byte[]> consumer, Map<TopicPartition, OffsetAndMetadata> offsets, EventCounts counts) {
        this.consumer = consumer;
        this.offsets = offsets;
        this.counts = counts;
    }

    Map<TopicPartition, OffsetAndMetadata> offsets() {
        return offsets;
    }

    boolean isSent() {
        return sent;
    }

    /**
     * Sends them, the first time, and waits for the answers. The client waits for all commits that are on their way; an
     * older one whose answer is lost must not hold up those that are answered, so it is asked to in short slices.
     */
    static Boolean await(Consumer<byte[], byte[]> consumer, List<SingleAttemptCommit> all, Duration left) {
        all.forEach(SingleAttemptCommit::send);
        Duration rest = left;
        for (Duration slice = FIRST_SLICE; ; slice = min(slice.multipliedBy(2), LONGEST_SLICE)) {
            Duration wait = min(slice, rest);
            try {
                consumer.commitSync(Map.of(), wait); // Commits nothing, but waits for what is on its way.
                return true;
            } catch (TimeoutException others) {
                rest = rest.minus(wait);
                if (all.stream().allMatch(commit -> commit.answered)) {
                    return true;
                }
                if (rest.compareTo(LEAST) < 0) {
                    throw others;
                }
            }
        }
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** The same, and throws what may be mended by calling this again, which sends those again that failed so. */
    static Boolean awaitStored(Consumer<byte[], byte[]> consumer, List<SingleAttemptCommit> all, Duration left) {
        await(consumer, all, left);
        RuntimeException mendable = null;
        for (SingleAttemptCommit commit : all) {
            Exception failed = commit.failure();
            if (failed instanceof WakeupException late) {
                commit.sent = false;
                mendable = late;
            } else if (failed instanceof RetriableException passing && !CommitSplitter.isUnknown(passing)) {
                commit.sent = false;
                mendable = passing;
            }
        }
        if (mendable != null) {
            throw mendable;
        }
        return true;
    }

    private void send() {
        if (!sent) {
            sent = true;
            answered = false;
            failure = null;
            CommitCall.send(consumer, offsets, counts.telling(offsets, (committed, error) -> {
                answered = true;
                failure = error;
            }));
        }
    }

    /** Why it is not stored; to be asked when the wait has ended. No answer is no success. */
    @Nullable
    Exception failure() {
        return answered ? failure : new TimeoutException("no answer to a commit");
    }
}
