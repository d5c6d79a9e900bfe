package dev.laneway.keda;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The watches of all triggers that somebody asks for, at most so many. Thread-safe. */
final class GroupWatches implements AutoCloseable {
    private static final Duration END = Duration.ofSeconds(5);

    private final GroupWatch.Settings settings;
    private final int most;
    private final Duration idleLimit;
    private final Map<String, GroupWatch> watches = new HashMap<>();
    private boolean isClosed;

    /** @param idleLimit after which nobody will ask for a trigger any more */
    GroupWatches(GroupWatch.Settings settings, int most, Duration idleLimit) {
        this.settings = settings;
        this.most = most;
        this.idleLimit = idleLimit;
    }

    /**
     * The watch of a trigger, which begins if there is none, and anew if the trigger is another one now.
     *
     * @return null if there are as many as there may be
     */
    synchronized @Nullable GroupWatch of(Trigger trigger) {
        GroupWatch watch = watches.get(trigger.name());
        if (watch != null && watch.trigger().equals(trigger) && !watch.hasStopped()) {
            watch.ask();
            return watch;
        }
        if (watch == null && watches.size() >= most) {
            watches.values().removeIf(GroupWatch::hasStopped); // Its thread has died: it keeps no place.
        }
        if (isClosed || (watch == null && watches.size() >= most)) {
            return null;
        }
        if (watch != null) {
            watch.end();
        }
        GroupWatch begun = new GroupWatch(trigger, settings, watch, this::forgets);
        watches.put(trigger.name(), begun);
        begun.start();
        return begun;
    }

    private synchronized boolean forgets(GroupWatch watch) {
        if (watch.idle().compareTo(idleLimit) <= 0) {
            return false;
        }
        watch.end();
        watches.remove(watch.trigger().name(), watch);
        return true;
    }

    /** How many there are. */
    synchronized int size() {
        return watches.size();
    }

    /** Ends all, and waits for them, but not for those that a broker holds. */
    @Override
    public void close() {
        List<GroupWatch> all;
        synchronized (this) {
            isClosed = true;
            all = new ArrayList<>(watches.values());
        }
        all.forEach(GroupWatch::end);
        long deadline = System.nanoTime() + END.toNanos();
        all.forEach(watch -> watch.awaitEnd(Duration.ofNanos(Math.max(0, deadline - System.nanoTime()))));
    }
}
