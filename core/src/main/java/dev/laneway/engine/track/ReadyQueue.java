package dev.laneway.engine.track;

/** Where tracks, and whoever settles their records, hand over work that any worker may do. Thread-safe. */
public interface ReadyQueue {
    /** This waits for a worker. */
    void ready(ReadyWork work);

    /** The cursor of a track may move again. */
    void workArrived();

    /** Whether other work waits and no further worker may start: time to take turns. */
    boolean isContended();

    /** Nobody waits for an asynchronous handler any more: its permit is free. */
    void releasePending();
}
