package dev.laneway.engine.track;

/** Work that waits for a worker in the scheduler's ready queue. */
public sealed interface ReadyWork extends Work permits Lane, OutgoingRecords, HandlerCancellation {
    /** A worker on this thread takes it from the queue. False when it is void, or must wait. */
    default boolean claim(Thread by) {
        return true;
    }
}
