package dev.laneway.bench.peer;

import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.Order;
import dev.laneway.bench.measure.Task;

/** A library, or the bare client, that consumes a topic. One file each. */
public interface Peer {
    /** What is promised for a task. */
    Order order(Task task);

    /** Whether the group has committed everything handled when the consumer is closed. */
    default boolean commits(Task task) {
        return task.commits() != Commits.NONE;
    }

    /** Starts to consume and does not wait. */
    Running start(Task task) throws Exception;

    /** A consumer at work. */
    interface Running {
        /** Throws when it has failed. */
        default void check() throws Exception {}

        /** Commits what is done, if it commits, and ends. */
        void close() throws Exception;
    }
}
