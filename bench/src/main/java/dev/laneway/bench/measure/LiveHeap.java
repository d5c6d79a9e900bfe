package dev.laneway.bench.measure;

import java.lang.management.ManagementFactory;

/**
 * The most live heap at any look, each after a collection: garbage says nothing about a consumer. Used by one thread.
 */
public final class LiveHeap {
    private static final double MIB = 1 << 20;

    private double mostMib;

    /** Collects garbage, and notes what is left. */
    public void look() {
        System.gc();
        mostMib = Math.max(
                mostMib,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MIB);
    }

    /** In MiB. */
    public double mostMib() {
        return mostMib;
    }
}
