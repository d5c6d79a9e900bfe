package dev.laneway.engine;

/** What a stream's partition waits for: an acknowledgement, or somebody who asks for more. The owner only. */
final class FeedWatch extends Watch {
    private final Feed feed;

    FeedWatch(Feed feed) {
        this.feed = feed;
    }

    @Override
    long oldestStarted() {
        return feed.oldest();
    }

    @Override
    int inFlight() {
        return feed.unacknowledged();
    }

    @Override
    String describe(long offset) {
        if (feed.unacknowledged() > 0) {
            return "it was delivered and is not acknowledged";
        }
        return feed.isDelivering()
                ? "the subscriber does not return from onNext of it or of one behind it"
                : "it is held ready and nobody asks for it";
    }

    @Override
    String remedy() {
        if (feed.unacknowledged() > 0) {
            return "Acknowledge every record, those that are filtered out, too";
        }
        return feed.isDelivering()
                ? "Look for what the subscriber waits for"
                : "Request more from the stream's subscription, or stop the source so that another member takes over";
    }
}
