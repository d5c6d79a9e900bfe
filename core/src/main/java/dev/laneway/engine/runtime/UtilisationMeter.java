package dev.laneway.engine.runtime;

import dev.laneway.Utilisation;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Where the workers' time goes. A worker reads the clock when it begins and when it ends, never per record; since a
 * worker ends when it has no work, the time between is busy. What is read never goes down, for whoever reads a counter
 * that does takes it for one that began anew. Thread-safe.
 */
public final class UtilisationMeter {
    /** A reading into which a beginning or an end falls is made again, so often: a thread may stop in the middle. */
    private static final int MOST_READINGS = 1_000;

    private final Host host;
    private final int concurrency;
    private final long startNanos;
    /** Beginnings and ends, counted before and after all else: while both are the same, the others fit together. */
    private final LongAdder entered = new LongAdder();

    private final LongAdder left = new LongAdder();
    private final LongAdder running = new LongAdder();
    /** The sum of all ends minus the sum of all beginnings, both relative to the start. */
    private final LongAdder balance = new LongAdder();
    /** Estimated by the owner from samples; it alone writes. */
    private volatile long blockedNanos;

    private long sampledBusyNanos;
    private long busyNanos; // The greatest that were read; guarded by this.
    private long idleNanos;

    /** All workers' time up to a moment. */
    private record Reading(long busyNanos, long idleNanos) {}

    public UtilisationMeter(Host host, int concurrency) {
        this.host = host;
        this.concurrency = concurrency;
        this.startNanos = host.nanoTime();
    }

    /** A worker, or an asynchronous handler's wait, begins. */
    public void began() {
        entered.increment();
        balance.add(startNanos - host.nanoTime());
        running.increment();
        left.increment();
    }

    /** It ends. */
    public void ended() {
        entered.increment();
        running.decrement();
        balance.add(host.nanoTime() - startNanos);
        left.increment();
    }

    /** The owner saw this share of the workers wait; it holds for the busy time since the last sample. */
    public void sampled(double waitingShare) {
        Reading reading = tryRead();
        if (reading != null) {
            long busy = Math.max(sampledBusyNanos, reading.busyNanos);
            long blocked = blockedNanos + (long) ((busy - sampledBusyNanos) * waitingShare);
            blockedNanos = blocked;
            sampledBusyNanos = busy;
        }
    }

    public synchronized Utilisation read() {
        Reading reading = tryRead();
        if (reading != null) {
            busyNanos = Math.max(busyNanos, reading.busyNanos);
            idleNanos = Math.max(idleNanos, reading.idleNanos);
        }
        return new Utilisation(busyNanos, Math.min(busyNanos, blockedNanos), idleNanos, concurrency);
    }

    /** Null where something begins or ends all the time: then what was read before holds. */
    private @Nullable Reading tryRead() {
        for (int i = 0; i < MOST_READINGS; i++) {
            long before = left.sum();
            long count = running.sum();
            long sum = balance.sum();
            long time = host.nanoTime() - startNanos;
            if (entered.sum() == before) {
                long busy = Math.max(0, sum + count * time);
                return new Reading(busy, Math.max(0, time * concurrency - busy));
            }
            Thread.onSpinWait();
        }
        return null;
    }
}
