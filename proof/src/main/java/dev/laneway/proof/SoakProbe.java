package dev.laneway.proof;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Takes the samples of a soak from the JVM. Used by one thread. */
final class SoakProbe {
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int UNKNOWN = -1;

    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final SoakHandler handler;

    SoakProbe(SoakHandler handler) {
        this.handler = handler;
    }

    /** Takes a sample, after a full collection, so that only live objects count. */
    SoakRound look(double seconds) {
        Histogram latencies = handler.latencies();
        memory.gc();
        return new SoakRound(
                seconds,
                latencies.getTotalCount(),
                latencies.getValueAtPercentile(50) / NANOS_PER_MILLI,
                latencies.getValueAtPercentile(99) / NANOS_PER_MILLI,
                latencies.getMaxValue() / NANOS_PER_MILLI,
                memory.getHeapMemoryUsage().getUsed(),
                ManagementFactory.getThreadMXBean().getThreadCount(),
                handles());
    }

    private static long handles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : UNKNOWN;
    }
}
