package dev.laneway.engine.commit;

import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Have others committed what a member is about to commit that has waited in the callback of a rebalance for long? The
 * group may have thrown it out in an outage, and its client would then commit without the member's epoch, which a group
 * takes whose other members have left meanwhile; see {@link SingleAttemptCommit}. No call of the client tells a
 * callback that it is not a member any more (kafka-clients 4.3.1), but the broker's offsets do: none is beyond this
 * member's own unless others have committed it. The owner only.
 */
final class OvertakenCheck {
    private OvertakenCheck() {}

    /**
     * Asks the broker.
     *
     * @throws CommitFailedException if others have gone beyond one of these
     */
    static void check(
            Consumer<byte[], byte[]> consumer,
            Assignment assignment,
            List<SingleAttemptCommit> commits,
            Duration left) {
        Map<TopicPartition, OffsetAndMetadata> own = new HashMap<>();
        commits.forEach(commit -> own.putAll(commit.offsets()));
        Map<TopicPartition, OffsetAndMetadata> all = consumer.committed(own.keySet(), left);
        own.forEach((id, committed) -> {
            OffsetAndMetadata stored = all.get(id);
            if (stored != null && stored.offset() > committed.offset() && !isOwn(assignment.get(id), stored)) {
                throw new CommitFailedException(
                        "others have committed " + id + " up to offset " + stored.offset() + " meanwhile");
            }
        });
    }

    /** Whether it is what this member was told to be stored last: it has been taken back to an earlier offset since. */
    private static boolean isOwn(@Nullable Partition partition, OffsetAndMetadata stored) {
        if (partition == null) {
            return false;
        }
        Progress confirmed = partition.committed;
        return confirmed != null && confirmed.offset() == stored.offset();
    }
}
