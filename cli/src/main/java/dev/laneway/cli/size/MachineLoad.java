package dev.laneway.cli.size;

import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;

/** How busy the processors of this machine, or of this container, are, whoever keeps them so. Used by one thread. */
final class MachineLoad {
    private final OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    private double sum;
    private int count;

    MachineLoad() {
        read(); // The first answer is of no time at all.
    }

    private double read() {
        return system instanceof com.sun.management.OperatingSystemMXBean known ? known.getCpuLoad() : -1;
    }

    void begin() {
        read();
        sum = 0;
        count = 0;
    }

    void look() {
        double busy = read();
        if (busy >= 0) {
            sum += busy;
            count++;
        }
    }

    /** The mean since it began; NaN if the system does not tell. */
    double busy() {
        return count == 0 ? Double.NaN : sum / count;
    }
}
