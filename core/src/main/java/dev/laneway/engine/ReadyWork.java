package dev.laneway.engine;

/** Work that waits for a worker in the scheduler's ready queue. */
sealed interface ReadyWork permits Lane, OutgoingRecords, HandlerCancellation {}
