package dev.laneway.engine.commit;

import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Partition;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidCommitOffsetSizeException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * At-most-once: commits what a poll returned before any of it is processed. The next poll waits until all of it is done
 * ({@code MemberWiring} gives flow control a budget of one poll), so a crash loses at most one poll. A partition that
 * is given up in peace commits how far it really got: what had begun counts as done, and what was never started is not
 * lost, even where what had begun outlasts the drain limit. The owner only.
 */
public final class AtMostOnceCommitter implements Committer {
    private static final Comparator<TopicPartition> ORDER =
            Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

    private static final Logger log = LoggerFactory.getLogger(AtMostOnceCommitter.class);

    private final CommitSender commits;

    public AtMostOnceCommitter(CommitSender commits) {
        this.commits = commits;
    }

    @Override
    public long turn(long nowNanos) {
        refresh();
        if (commits.trouble().isPresent()) {
            var _ = commits.news(commits.assignment().all()); // Ends the trouble, where none is left.
        }
        return Long.MAX_VALUE;
    }

    /** What was committed, not what is done: that is less as long as a poll is being processed. */
    private void refresh() {
        Map<Partition, Progress> due = commits.due();
        try {
            if (!due.isEmpty()) {
                commits.refresh(due);
            }
        } catch (OffsetMetadataTooLarge | InvalidCommitOffsetSizeException tooLarge) {
            log.warn("what is committed is kept by the broker, but is too long to be committed again", tooLarge);
            due.forEach(commits::confirmed);
        }
    }

    @Override
    public boolean holdsOnePoll() {
        return true;
    }

    @Override
    public boolean beforeDispatch(Map<TopicPartition, OffsetAndMetadata> positions) {
        // Ordered, so that a seed replays in any JVM: Kafka's map has an order that each JVM draws anew.
        Map<TopicPartition, OffsetAndMetadata> offsets = new TreeMap<>(ORDER);
        positions.forEach((id, position) -> offsets.put(id, ahead(id, position)));
        try {
            if (!commits.commitSync(offsets, false)) {
                return false;
            }
        } catch (OffsetMetadataTooLarge tooLarge) {
            var _ = commits.shrink("offset.metadata.max.bytes", tooLarge);
            return false;
        }
        offsets.forEach((id, offset) -> {
            Partition partition = commits.assignment().get(id);
            if (partition != null) {
                // Else the last commit would have nothing new to say where nothing of the poll was begun.
                commits.confirmed(partition, new Progress(offset.offset(), offset.metadata()));
            }
        });
        return true;
    }

    private OffsetAndMetadata ahead(TopicPartition id, OffsetAndMetadata position) {
        Partition partition = commits.assignment().get(id);
        return partition == null ? position : partition.ahead(position, commits.metadataLimit());
    }

    @Override
    public void flush(List<Partition> partitions) {
        commits.sendSync(partitions, true);
    }
}
