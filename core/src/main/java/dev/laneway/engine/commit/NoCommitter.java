package dev.laneway.engine.commit;

import dev.laneway.engine.track.Partition;
import java.util.List;

/** Commits nothing: the stream's reader keeps its place elsewhere, or needs none. */
public final class NoCommitter implements Committer {
    @Override
    public long turn(long nowNanos) {
        return Long.MAX_VALUE;
    }

    @Override
    public void flush(List<Partition> partitions) {
        // Nothing is kept.
    }
}
