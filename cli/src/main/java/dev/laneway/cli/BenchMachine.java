package dev.laneway.cli;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * What figures were taken on. Immutable.
 *
 * @param loadAverage processes that ran or waited to, over the last minute before the start; negative where unknown
 */
record BenchMachine(
        int cores, long memoryBytes, long heapBytes, double loadAverage, String os, String jdk, String kafka) {
    private static final double QUIET_SHARE = 0.5;

    /** This machine, now. */
    static BenchMachine here() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return new BenchMachine(
                Runtime.getRuntime().availableProcessors(),
                system.getTotalMemorySize(),
                Runtime.getRuntime().maxMemory(),
                system.getSystemLoadAverage(),
                system.getName() + " " + system.getVersion() + " " + system.getArch(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                AppInfoParser.getVersion());
    }

    /** Whether others leave enough of it for figures that mean something. */
    boolean isQuiet() {
        return loadAverage <= QUIET_SHARE * cores;
    }

    String text() {
        return cores + " cores, " + Text.bytes(memoryBytes) + " of memory, heap of at most " + Text.bytes(heapBytes)
                + ", " + os + ", " + jdk + ", Kafka clients " + kafka + ", load average "
                + Text.rate(loadAverage) + " at the start";
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("cores", cores);
        json.put("memory_mb", Round.to3(memoryBytes / 1e6));
        json.put("heap_mb", Round.to3(heapBytes / 1e6));
        json.put("load_average", Round.to3(loadAverage));
        json.put("os", os);
        json.put("jdk", jdk);
        json.put("kafka_version", kafka);
        return json;
    }
}
