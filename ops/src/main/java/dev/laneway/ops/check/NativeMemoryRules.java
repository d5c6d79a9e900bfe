package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Series;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** M2, M3 and M9: RocksDB's memory, the allocator that gives it out, and how many stores share it. */
final class NativeMemoryRules {
    /** RocksDBStore's own, for each store or segment of one, if no rocksdb.config.setter changes them. */
    private static final double USUAL_CACHE = 50 << 20;

    private static final double USUAL_BUFFERS = 3 * (16 << 20);

    private NativeMemoryRules() {}

    /** M2. */
    static Finding bounded(Instance instance, Thresholds limits) {
        List<Series> caches = instance.all(StreamsMetric.CACHE_CAPACITY);
        if (caches.isEmpty()) {
            return noStores(RuleId.M2, instance);
        }
        boolean usual = !hasSetter(instance, caches);
        double bytes = usual ? unbounded(caches) : shared(caches);
        String source = instance.source();
        String observed = "RocksDB in " + source + (usual ? " is not bounded: its " : " is bounded: the ")
                + (usual ? Figures.count(caches.size(), "store") + " can take " : "caches can take ")
                + Figures.bytes(bytes);
        if (instance.oomKills() > 0) {
            return FindingBuilder.of(RuleId.M2, observed, "no kill for memory")
                    .evidence(instance.all(Groups.CGROUP, "oom-kills-total").stream()
                            .map(Figures::growth)
                            .toList())
                    .fail(
                            "The kernel killed " + source + " " + Figures.count(instance.oomKills(), "time")
                                    + " for its memory, of which RocksDB can take " + Figures.bytes(bytes) + ".",
                            fewerBytes(source, usual));
        }
        double limit = instance.sum(Groups.CGROUP, "memory-max-bytes").orElse(0);
        double heap = new Heap(instance).limit().orElse(0);
        if (limit == 0 || heap == 0) {
            return Finding.unknown(
                    RuleId.M2,
                    observed + ", but the " + (limit == 0 ? "memory limit" : "largest heap") + " is not seen.",
                    "Run check on the machine of " + source + " with --pid, in a container with a memory limit.");
        }
        double room = Math.max(0, limit - heap - limits.of(Threshold.MEMORY_RESERVE));
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.M2,
                        observed,
                        "at most " + Figures.bytes(room) + ": " + Figures.bytes(limit) + " without the heap of "
                                + Figures.bytes(heap) + " and "
                                + Figures.bytes(limits.of(Threshold.MEMORY_RESERVE)) + " for the JVM")
                .evidence(caches.stream().map(Figures::last).toList());
        return bytes <= room
                ? judged.fine()
                : judged.warn(
                        "RocksDB in " + source + " can take " + Figures.bytes(bytes) + ", and "
                                + Figures.bytes(room)
                                + " are free beside the heap: the kernel will kill the process.",
                        fewerBytes(source, usual));
    }

    private static String fewerBytes(String source, boolean usual) {
        return usual
                ? "Set rocksdb.config.setter in " + source
                        + " to one LRUCache that all stores share, with a WriteBufferManager charged to it."
                : "Make the shared cache in " + source + " smaller, or give the process more memory.";
    }

    private static boolean hasSetter(Instance instance, List<Series> caches) {
        return instance.config("rocksdb.config.setter")
                        .filter(name -> !name.isBlank())
                        .isPresent()
                || (!instance.configured() && caches.stream().noneMatch(cache -> cache.last() == USUAL_CACHE));
    }

    /** A store with segments tells the sum of their caches, so that a cache of the usual size is a segment. */
    private static double unbounded(List<Series> caches) {
        return caches.stream()
                .mapToDouble(cache -> cache.last() + USUAL_BUFFERS * Math.max(1, cache.last() / USUAL_CACHE))
                .sum();
    }

    /** All stores with a cache of one size have the same cache, which each of them tells. */
    private static double shared(List<Series> caches) {
        return caches.stream().mapToDouble(Series::last).distinct().sum();
    }

    /** M3. */
    static Finding allocator(Instance instance, Thresholds limits) {
        int stores = instance.stores();
        if (stores == 0) {
            return noStores(RuleId.M3, instance);
        }
        Optional<String> told = instance.text(Groups.PROCESS, "allocator");
        if (told.isEmpty()) {
            return Finding.unknown(
                    RuleId.M3,
                    "The memory allocator of " + instance.source() + " is not seen.",
                    "Run check on the machine of " + instance.source() + " with --pid: it reads /proc/PID/maps.");
        }
        String allocator = told.get().toLowerCase(Locale.ROOT);
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.M3, instance.source() + " allocates with " + allocator, "jemalloc or one like it")
                .evidence(instance.source() + ": " + Groups.PROCESS + "/allocator = " + allocator);
        if (!allocator.equals("glibc") && !allocator.equals("musl")) {
            return judged.fine();
        }
        String remedy = "Start " + instance.source() + " with LD_PRELOAD of libjemalloc.so.";
        return instance.oomKills() > 0
                ? judged.fail(
                        "The kernel killed " + instance.source() + " "
                                + Figures.count(instance.oomKills(), "time") + " for its memory, and " + allocator
                                + " keeps what RocksDB's " + Figures.count(stores, "store") + " free.",
                        remedy)
                : judged.warn(
                        allocator + " fragments with RocksDB: the memory of " + instance.source() + " with "
                                + Figures.count(stores, "store") + " can grow beyond what RocksDB uses.",
                        remedy);
    }

    /** M9. */
    static Finding stores(Instance instance, Thresholds limits) {
        int stores = instance.stores();
        double most = limits.of(Threshold.STORES);
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.M9,
                        Figures.count(stores, "store") + " in " + instance.source(),
                        "at most " + Figures.number(most))
                .evidence(perTask(instance));
        if (stores <= most) {
            return judged.fine();
        }
        double limit = instance.sum(Groups.CGROUP, "memory-max-bytes").orElse(Double.MAX_VALUE);
        double held = instance.sum(Groups.CGROUP, "memory-anon-bytes").orElse(0);
        boolean noRoom = held > limits.of(Threshold.MEMORY_SHARE) * limit;
        boolean severe = stores > limits.of(Threshold.STORES_SEVERE) && noRoom;
        return judged.bad(
                severe ? FindingStatus.FAIL : FindingStatus.WARN,
                Figures.count(stores, "store") + " in " + instance.source() + " share its memory"
                        + (noRoom
                                ? ", of which " + Figures.bytes(held) + " of " + Figures.bytes(limit) + " are taken."
                                : "."),
                "Spread the tasks of " + instance.source() + " over "
                        + Figures.number(Math.ceil(stores / Math.max(1, most)))
                        + " instances, or give it more memory.");
    }

    private static List<String> perTask(Instance instance) {
        Map<String, Integer> tasks = new LinkedHashMap<>();
        instance.all(StreamsMetric.CACHE_CAPACITY)
                .forEach(cache -> tasks.merge(cache.metric().tag("task-id"), 1, Integer::sum));
        return tasks.entrySet().stream()
                .map(task -> instance.source() + ": " + Figures.count(task.getValue(), "store") + " of task "
                        + task.getKey())
                .toList();
    }

    private static Finding noStores(RuleId rule, Instance instance) {
        return Finding.fine(rule, "no RocksDB store in " + instance.source(), "", List.of());
    }
}
