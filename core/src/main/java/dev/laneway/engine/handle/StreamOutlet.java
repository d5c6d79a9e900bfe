package dev.laneway.engine.handle;

import org.jspecify.annotations.Nullable;

/** Where the records of a stream's partitions go. The owner calls it and goes on: it must not wait. */
public interface StreamOutlet {
    /** A partition has come. Before its first record; {@link StreamFeed#listen} tells of those, and of its end. */
    void opened(StreamFeed feed);

    /**
     * Nothing will come any more; the feeds are closed next.
     *
     * @param failure what ended the consumer; null when it was told to end
     */
    void ended(@Nullable Throwable failure);

    /** Which stages of the stream can take no more, and why, in words; empty where all can. Never waits. */
    String fullStages();
}
