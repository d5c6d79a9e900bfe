package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.errors.WakeupException;

/**
 * How a consumer's blocking calls wait, and how {@code wakeup} ends them: the current call, or else the next one that
 * blocks.
 */
final class SimBlocking {
    private final SimBroker broker;
    private boolean wakeup;
    private boolean closing;

    SimBlocking(SimBroker broker) {
        this.broker = broker;
    }

    void wakeup() {
        wakeup = true;
    }

    /** From now on wakeups are ignored: the consumer is being closed. */
    void ignoreWakeups() {
        closing = true;
    }

    boolean isWoken() {
        return wakeup && !closing;
    }

    void throwIfWoken() {
        if (isWoken()) {
            wakeup = false;
            throw new WakeupException();
        }
    }

    boolean await(CompletableFuture<?> future, long deadlineNanos) {
        return await(future::isDone, deadlineNanos);
    }

    /**
     * Waits until the condition holds or the deadline has passed; throws if woken, even if the condition already holds.
     */
    boolean await(BooleanSupplier condition, long deadlineNanos) {
        throwIfWoken();
        if (condition.getAsBoolean()) {
            return true;
        }
        long left = Math.max(0, deadlineNanos - broker.clock().nanoTime());
        broker.waiting().await(() -> condition.getAsBoolean() || isWoken(), Duration.ofNanos(left));
        throwIfWoken();
        return condition.getAsBoolean();
    }

    /** Waits for the given time, but not beyond the deadline. */
    void pause(long nanos, long deadlineNanos) {
        long now = broker.clock().nanoTime();
        await(() -> false, Math.min(deadlineNanos, SimClock.saturatedAdd(now, nanos)));
    }
}
