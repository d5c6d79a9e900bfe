package dev.laneway.dashboard;

import dev.laneway.Laneway;
import dev.laneway.ops.observe.Source;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;

/**
 * The figures of the live page without the page: looks once a second, and gives what the page's {@code GET /frame}
 * would. For a terminal, or a page of your own. Thread-safe.
 *
 * <p>Its thread is a daemon. What cannot be seen, such as a broker that is gone, is the verdict of a frame and no
 * exception.
 */
public final class LiveFrames implements AutoCloseable {
    private final Live live;

    private LiveFrames(Feed feed) {
        this.live = new Live(feed, new Broadcast(), new Timeline(), List.of(), () -> {});
        live.start();
    }

    /** Starts to watch a consumer of this process. It stays yours. */
    public static LiveFrames of(Laneway laneway, String name) {
        return new LiveFrames(new LanewayFeed(laneway, name, null));
    }

    /**
     * Starts to watch a group of any kind, as {@link Dashboard#ofGroup} does.
     *
     * @param admin stays yours; needs the rights of {@code laneway check}, see docs/check.md
     * @param more for the verdict, such as a member's JMX; closed with this
     */
    public static LiveFrames ofGroup(Admin admin, String group, List<? extends Source> more) {
        return new LiveFrames(new GroupFeed(admin, group, more, null));
    }

    /** The latest frame, JSON as UTF-8: with {@code at}, when that was, in milliseconds. Its form may change. */
    public byte[] latest() {
        return live.latest().clone();
    }

    /** Ends it. */
    @Override
    public void close() {
        live.close();
    }
}
