package dev.laneway.engine;

import org.jspecify.annotations.Nullable;

/** The outlet of a consumer whose records workers handle. */
enum Nowhere implements Outlet {
    OUTLET;

    @Override
    public void opened(Feed feed) {
        throw new IllegalStateException(feed.partition + " has no stream to go to");
    }

    @Override
    public void ended(@Nullable Throwable failure) {
        // Handlers are told otherwise.
    }
}
