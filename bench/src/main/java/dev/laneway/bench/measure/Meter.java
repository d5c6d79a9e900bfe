package dev.laneway.bench.measure;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Adds up time, CPU time of the process and bytes allocated by all its threads over the measured laps, garbage
 * collector and JIT compiler included. Used by one thread.
 */
public final class Meter {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String PEAK = "VmHWM:";

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long startNanos;
    private long startCpuNanos;
    private long startBytes;
    private long nanos;
    private long cpuNanos;
    private long bytes;

    public void start() {
        startCpuNanos = system.getProcessCpuTime();
        startBytes = threads.getTotalThreadAllocatedBytes();
        startNanos = System.nanoTime();
    }

    /** Ends a lap; returns its nanoseconds. */
    public long stop() {
        long lap = System.nanoTime() - startNanos;
        nanos += lap;
        cpuNanos += system.getProcessCpuTime() - startCpuNanos;
        bytes += threads.getTotalThreadAllocatedBytes() - startBytes;
        return lap;
    }

    public double seconds() {
        return nanos / 1e9;
    }

    public double cpuSeconds() {
        return cpuNanos / 1e9;
    }

    double allocatedBytes() {
        return bytes;
    }

    /** The most memory that this process has had, in 10^6 bytes. */
    public static @Nullable Double peakRssMb() {
        if (!Files.isReadable(STATUS)) {
            return null;
        }
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(PEAK)) {
                    String kib = line.substring(PEAK.length()).replace("kB", "").strip();
                    return Long.parseLong(kib) * 1024 / 1e6;
                }
            }
        } catch (IOException unreadable) {
            // Null if the system does not tell it.
        }
        return null;
    }
}
