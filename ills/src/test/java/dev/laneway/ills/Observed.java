package dev.laneway.ills;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;

/** A setting that was watched for a while. */
final class Observed {
    static final int SECONDS = Integer.getInteger("ills.seconds", 12);

    final List<Vitals> vitals = new ArrayList<>();
    final Map<Long, Beans> before = new TreeMap<>();
    final Map<Long, Beans> after = new TreeMap<>();
    private final Map<Long, Long> ioBefore = new TreeMap<>();
    private final Map<Long, Long> ioAfter = new TreeMap<>();
    private final Map<Long, Long> writesBefore = new TreeMap<>();
    private final Map<Long, Long> writesAfter = new TreeMap<>();
    private double seconds;

    static Observed of(Setting setting) throws Exception {
        Observed observed = new Observed();
        List<Long> pids = setting.pids();
        long start = System.nanoTime();
        for (long pid : pids) {
            observed.before.put(pid, Beans.of(pid));
            observed.ioBefore.put(pid, io(pid, "read_bytes"));
            observed.writesBefore.put(pid, io(pid, "write_bytes"));
        }
        for (int second = 1; second <= SECONDS; second++) {
            long due = start + TimeUnit.SECONDS.toNanos(second);
            observed.vitals.add(setting.vitals());
            Awaitility.await().pollDelay(java.time.Duration.ofMillis(1)).until(() -> System.nanoTime() >= due);
        }
        for (long pid : pids) {
            observed.after.put(pid, Beans.of(pid));
            observed.ioAfter.put(pid, io(pid, "read_bytes"));
            observed.writesAfter.put(pid, io(pid, "write_bytes"));
        }
        observed.vitals.add(setting.vitals());
        observed.seconds = (System.nanoTime() - start) / 1e9;
        return observed;
    }

    private static long io(long pid, String what) throws java.io.IOException {
        Path file = Path.of("/proc", Long.toString(pid), "io");
        var found = Pattern.compile("(?m)^" + what + ": (\\d+)").matcher(Files.readString(file));
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    Vitals last() {
        return vitals.getLast();
    }

    double lagGrowth() {
        return (last().lag() - vitals.getFirst().lag()) / seconds;
    }

    /** Partitions with records that wait, whose committed offset stands. */
    long standing() {
        return last().partitions().entrySet().stream()
                .filter(entry -> entry.getValue().lag() > 20
                        && entry.getValue().committed() == first(entry.getKey()).committed())
                .count();
    }

    Vitals.Place first(TopicPartition partition) {
        return vitals.getFirst().partitions().get(partition);
    }

    /** The share of all that waits which one partition has. */
    double largestShare() {
        return last().partitions().values().stream()
                        .mapToLong(Vitals.Place::lag)
                        .max()
                        .orElse(0)
                / (double) Math.max(1, last().lag());
    }

    /** In processors, all members together. */
    double cpu() {
        return growth("OperatingSystem", "ProcessCpuTime") / 1e9 / seconds;
    }

    double gcShare() {
        return growth("GarbageCollector", "CollectionTime") / 1e3 / seconds;
    }

    double growth(String bean, String attribute) {
        return before.keySet().stream()
                .mapToDouble(pid ->
                        after.get(pid).sum(bean, attribute) - before.get(pid).sum(bean, attribute))
                .sum();
    }

    double max(String bean, String attribute) {
        return after.values().stream()
                .mapToDouble(beans -> beans.max(bean, attribute))
                .filter(Double::isFinite)
                .max()
                .orElse(Double.NaN);
    }

    double readMegabytes() {
        return grown(ioBefore, ioAfter) / 1e6 / seconds;
    }

    double writtenMegabytes() {
        return grown(writesBefore, writesAfter) / 1e6 / seconds;
    }

    private static double grown(Map<Long, Long> from, Map<Long, Long> to) {
        return from.keySet().stream()
                .mapToDouble(pid -> to.get(pid) - from.get(pid))
                .sum();
    }

    long unsettled() {
        return vitals.stream().filter(seen -> !seen.state().equals("Stable")).count();
    }
}
