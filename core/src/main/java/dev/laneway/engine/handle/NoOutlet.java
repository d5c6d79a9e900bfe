package dev.laneway.engine.handle;

import org.jspecify.annotations.Nullable;

/** The outlet of a consumer whose records workers handle. */
public enum NoOutlet implements StreamOutlet {
    OUTLET;

    @Override
    public void opened(StreamFeed feed) {
        throw new IllegalStateException(feed.partition + " has no stream to go to");
    }

    @Override
    public void ended(@Nullable Throwable failure) {
        // Handlers are told otherwise.
    }

    @Override
    public String fullStages() {
        return "";
    }
}
