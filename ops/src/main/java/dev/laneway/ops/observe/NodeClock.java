package dev.laneway.ops.observe;

import org.jspecify.annotations.Nullable;

/** The way of one processor to the times of its node on the thread that runs it. Used by that thread. */
final class NodeClock {
    private final NodeRegistry registry;
    private final String node;
    private @Nullable NodeTimes times;

    NodeClock(NodeRegistry registry, String node) {
        this.registry = registry;
        this.node = node;
    }

    /** Shows the node before its first record. */
    void open() {
        times();
    }

    /** The times of the current thread: a task may go on on another one. */
    NodeTimes times() {
        NodeTimes known = times;
        if (known == null || !known.thread.equals(Thread.currentThread())) {
            close();
            known = registry.open(node);
            times = known;
        }
        return known;
    }

    /** Also by another thread, when it is used no more. */
    void close() {
        NodeTimes known = times;
        if (known != null) {
            times = null;
            registry.close(known);
        }
    }
}
