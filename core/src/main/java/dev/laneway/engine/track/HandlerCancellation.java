package dev.laneway.engine.track;

import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An asynchronous handler's future that is no longer wanted. Cancelling it may run user code, so a worker does it.
 * Immutable.
 */
public record HandlerCancellation(Future<?> future) implements ReadyWork {
    private static final Logger log = LoggerFactory.getLogger(HandlerCancellation.class);

    public void run() {
        try {
            future.cancel(true);
        } catch (UnsupportedOperationException readOnly) {
            log.debug("the stage of an asynchronous handler cannot be cancelled", readOnly);
        } catch (Throwable failure) {
            log.warn("cancelling the stage of an asynchronous handler failed", failure);
        }
    }
}
