package dev.laneway.engine;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Commits nothing: the stream's reader keeps its place elsewhere, or needs none. */
final class NoCommitter implements Committer {
    @Override
    public long turn(long nowNanos) {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean beforeDispatch(Map<TopicPartition, OffsetAndMetadata> positions) {
        return true;
    }

    @Override
    public void flush(List<Partition> partitions) {
        // Nothing is kept.
    }
}
