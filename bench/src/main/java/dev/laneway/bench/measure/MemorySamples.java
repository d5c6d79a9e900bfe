package dev.laneway.bench.measure;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Samples heap and direct memory each tenth of a second. Thread-safe. */
public final class MemorySamples implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("memory-samples").daemon().factory());
    private long count;
    private double heapSum;
    private double heapMax;
    private double directMax;

    public MemorySamples() {
        var _ = sampler.scheduleAtFixedRate(this::sample, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized void sample() {
        double heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1e6;
        count++;
        heapSum += heap;
        heapMax = Math.max(heapMax, heap);
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if (pool.getName().equals("direct")) {
                directMax = Math.max(directMax, pool.getMemoryUsed() / 1e6);
            }
        }
    }

    public synchronized ArmResult addTo(ArmResult result) {
        return result.withFigure("heap_mean_mb", heapSum / Math.max(1, count))
                .withFigure("heap_max_mb", heapMax)
                .withFigure("direct_max_mb", directMax);
    }

    @Override
    public void close() {
        sampler.shutdownNow();
    }
}
