package dev.laneway.engine.runtime;

import dev.laneway.Utilisation;
import java.util.concurrent.atomic.LongAdder;

/**
 * Where the workers' time goes. A worker reads the clock when it begins and when it ends, never per record; since a
 * worker ends when it has no work, the time between is busy. Thread-safe.
 */
public final class UtilisationMeter {
    private final Host host;
    private final int concurrency;
    private final long startNanos;
    private final LongAdder running = new LongAdder();
    /** The sum of all ends minus the sum of all beginnings, both relative to the start. */
    private final LongAdder balance = new LongAdder();
    /** Estimated by the owner from samples; it alone writes. */
    private volatile long blockedNanos;

    private long sampledBusyNanos;

    public UtilisationMeter(Host host, int concurrency) {
        this.host = host;
        this.concurrency = concurrency;
        this.startNanos = host.nanoTime();
    }

    /** A worker, or an asynchronous handler's wait, begins. */
    public void began() {
        balance.add(startNanos - host.nanoTime());
        running.increment();
    }

    /** It ends. */
    public void ended() {
        running.decrement();
        balance.add(host.nanoTime() - startNanos);
    }

    /** The owner saw this share of the workers wait; it holds for the busy time since the last sample. */
    public void sampled(double waitingShare) {
        long busy = busyNanos();
        long blocked = blockedNanos + (long) (Math.max(0, busy - sampledBusyNanos) * waitingShare);
        blockedNanos = blocked;
        sampledBusyNanos = busy;
    }

    public Utilisation read() {
        long busy = busyNanos();
        long all = (host.nanoTime() - startNanos) * concurrency;
        return new Utilisation(busy, Math.min(busy, blockedNanos), Math.max(0, all - busy), concurrency);
    }

    private long busyNanos() {
        return Math.max(0, balance.sum() + running.sum() * (host.nanoTime() - startNanos));
    }
}
