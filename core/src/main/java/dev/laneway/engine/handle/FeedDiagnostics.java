package dev.laneway.engine.handle;

import dev.laneway.engine.track.PartitionDiagnostics;
import org.apache.kafka.common.TopicPartition;

/** What a stream's partition waits for: an acknowledgement, or somebody who asks for more. The owner only. */
public final class FeedDiagnostics extends PartitionDiagnostics {
    private final StreamFeed feed;

    public FeedDiagnostics(StreamFeed feed) {
        this.feed = feed;
    }

    /** What health says of a partition whose stream has ended before it, in words. */
    static String describeUnread(TopicPartition partition, long offset) {
        return "nothing of " + partition + " is read from offset " + offset + " on: its stream was cancelled or stopped"
                + " while the partition stays with this member. Stop the source, so that another member or a new source"
                + " reads it";
    }

    @Override
    public long oldestStarted() {
        return feed.oldest();
    }

    @Override
    public int inFlight() {
        return feed.unacknowledged();
    }

    @Override
    public String describe(long offset) {
        if (feed.unacknowledged() > 0) {
            String full = feed.outlet.fullStages();
            return "it was delivered and is not acknowledged" + (full.isEmpty() ? "" : ", and " + full);
        }
        return feed.isDelivering()
                ? "the subscriber does not return from onNext of it or of one behind it"
                : "it is held ready and nobody asks for it";
    }

    @Override
    public String remedy() {
        if (feed.unacknowledged() > 0) {
            return feed.outlet.fullStages().isEmpty()
                    ? "Acknowledge every record, those that are filtered out, too"
                    : "Look for what that stage waits for, and give its calls a time limit";
        }
        return feed.isDelivering()
                ? "Look for what the subscriber waits for"
                : "Request more from the stream's subscription, or stop the source so that another member takes over";
    }
}
