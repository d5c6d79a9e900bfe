package dev.laneway.dashboard;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks once a second or when a limit is about to be passed, remembers, and shows it to all who watch. Thread-safe. */
final class Live implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Live.class);
    private static final long LEAST_PAUSE_NANOS = 200_000_000;

    private final Feed feed;
    private final Broadcast broadcast;
    private final Timeline timeline;
    private final List<String> actions;
    private final Runnable each;
    private final Thread thread;
    private final History history = new History(); // This and the next three are guarded by this.
    private @Nullable Verdict verdict;
    private Map<String, Long> counters = Map.of();
    private long sinceMillis;
    private boolean fails; // Used by whoever looks, one at a time.
    private volatile byte[] latest = new byte[0];
    private volatile byte[] summary = new byte[0];
    private volatile boolean closed;

    /** @param each is called after each look */
    Live(Feed feed, Broadcast broadcast, Timeline timeline, List<String> actions, Runnable each) {
        this.feed = feed;
        this.broadcast = broadcast;
        this.timeline = timeline;
        this.actions = List.copyOf(actions);
        this.each = each;
        this.thread = Thread.ofVirtual().name("laneway-dashboard").unstarted(this::run);
    }

    /** Looks for the first time, and goes on. */
    void start() {
        look();
        thread.start();
    }

    private void run() {
        try {
            while (!closed) {
                long begun = System.nanoTime();
                look();
                each.run();
                long left = feed.pauseNanos() - (System.nanoTime() - begun);
                Thread.sleep(Duration.ofNanos(Math.max(LEAST_PAUSE_NANOS, left)));
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        try {
            show(feed.look());
            fails = false;
        } catch (RuntimeException failed) {
            if (closed) {
                return;
            }
            if (!fails) {
                LOG.warn("{} cannot be looked at, as its page tells until it can", feed.name(), failed);
            }
            fails = true;
            show(Frame.unseen(System.currentTimeMillis(), counters, failed));
        }
    }

    private void show(Frame frame) {
        timeline.add(frame);
        byte[] json;
        synchronized (this) {
            history.add(frame);
            if (verdict == null || !verdict.isLike(frame.verdict())) {
                sinceMillis = frame.atMillis();
            }
            verdict = frame.verdict();
            counters = frame.counters();
            summary = PageJson.bytes(PageJson.summary(feed.name(), frame, sinceMillis));
            json = PageJson.bytes(PageJson.frame(feed.name(), frame, sinceMillis, timeline.entries(), actions));
        }
        latest = json;
        broadcast.send(json);
    }

    /** The latest frame. */
    byte[] latest() {
        return latest;
    }

    /** The latest frame, in short. */
    byte[] summary() {
        return summary;
    }

    /** What a page is told first. */
    synchronized byte[] hello() {
        return PageJson.bytes(PageJson.hello(feed.name(), history));
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        feed.close();
    }
}
