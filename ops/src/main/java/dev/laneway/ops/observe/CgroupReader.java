package dev.laneway.ops.observe;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link Groups#CGROUP} of a process, by version 2 of cgroups, and for memory and processors by version 1 where
 * version 2 does not tell them. A limit may be set above the process's own cgroup, for a pod as a whole: the tightest
 * one counts, and use is told of the cgroup that has it.
 */
final class CgroupReader {
    private static final long NO_LIMIT = 1L << 60; // Version 1 tells the largest number of pages.

    private final Path root;
    private final Map<String, String> paths = new HashMap<>(); // By controller; that of version 2 is "".
    private final Map<String, String> devices;
    private final SampleBuilder into;

    /**
     * @param process such as {@code /proc/4711}
     * @param sys such as {@code /sys}
     * @param devices names by major and minor number, such as {@code 259:0}
     */
    CgroupReader(Path process, Path sys, Map<String, String> devices, SampleBuilder into) {
        root = sys.resolve("fs/cgroup");
        this.devices = devices;
        this.into = into;
        for (String line : SmallFiles.lines(process.resolve("cgroup"))) {
            String[] parts = line.split(":", 3);
            if (parts.length == 3) {
                for (String controller : parts[1].split(",", -1)) {
                    paths.put(controller, parts[2]);
                }
            }
        }
    }

    void read() {
        List<Path> unified = unified();
        if (!memory(unified)) {
            memoryOfVersion1();
        }
        if (!processors(unified)) {
            processorsOfVersion1();
        }
        if (!unified.isEmpty()) {
            io(unified.getFirst());
        }
    }

    /** The cgroup of version 2 and those above it, innermost first. */
    private List<Path> unified() {
        String path = paths.get("");
        if (path == null) {
            return List.of();
        }
        Path top = Files.isDirectory(root.resolve("unified")) ? root.resolve("unified") : root;
        List<Path> way = new ArrayList<>();
        for (Path at = below(top, path); at != null && at.startsWith(top); at = at.getParent()) {
            way.add(at);
        }
        return way;
    }

    /** In a container the path may be the host's, while what is mounted is the container's own cgroup: the top. */
    private static Path below(Path top, String path) {
        Path full = top.resolve(path.replaceAll("^/+", "")).normalize();
        return full.startsWith(top) && Files.isDirectory(full) ? full : top;
    }

    private boolean memory(List<Path> way) {
        Path at = tightest(way, dir -> {
            OptionalLong max = SmallFiles.number(dir.resolve("memory.max"));
            return max.isPresent() ? OptionalDouble.of((double) max.getAsLong()) : OptionalDouble.empty();
        });
        if (at == null || SmallFiles.number(at.resolve("memory.current")).isEmpty()) {
            return false;
        }
        put("memory-max-bytes", SmallFiles.number(at.resolve("memory.max")));
        put("memory-current-bytes", SmallFiles.number(at.resolve("memory.current")));
        Map<String, Long> stat = SmallFiles.numbers(at.resolve("memory.stat"));
        put("memory-file-bytes", stat, "file");
        put("memory-anon-bytes", stat, "anon");
        put("oom-kills-total", SmallFiles.numbers(at.resolve("memory.events")), "oom_kill");
        return true;
    }

    private boolean processors(List<Path> way) {
        Path at = tightest(way, CgroupReader::cores);
        if (at == null) {
            return false;
        }
        Map<String, Long> stat = SmallFiles.numbers(at.resolve("cpu.stat"));
        OptionalDouble cores = cores(at);
        if (cores.isEmpty() && !stat.containsKey("nr_periods")) {
            return false; // The controller is one of version 1.
        }
        cores.ifPresent(quota -> into.put(metric("cpu-cores"), quota));
        put("cpu-periods-total", stat, "nr_periods");
        put("cpu-throttled-total", stat, "nr_throttled");
        return true;
    }

    /** {@code 200000 100000}: microseconds in each period of microseconds. */
    private static OptionalDouble cores(Path dir) {
        String[] words = SmallFiles.text(dir.resolve("cpu.max")).split(" ", -1);
        return words.length == 2
                ? quota(SmallFiles.number(words[0]), SmallFiles.number(words[1]))
                : OptionalDouble.empty();
    }

    private static OptionalDouble quota(OptionalLong micros, OptionalLong period) {
        return micros.isPresent() && micros.getAsLong() > 0 && period.isPresent() && period.getAsLong() > 0
                ? OptionalDouble.of((double) micros.getAsLong() / period.getAsLong())
                : OptionalDouble.empty();
    }

    /** The one with the lowest limit; the innermost if none has any. */
    private static @Nullable Path tightest(List<Path> way, Function<Path, OptionalDouble> limit) {
        Path found = way.isEmpty() ? null : way.getFirst();
        double lowest = Double.POSITIVE_INFINITY;
        for (Path dir : way) {
            OptionalDouble here = limit.apply(dir);
            if (here.isPresent() && here.getAsDouble() < lowest) {
                lowest = here.getAsDouble();
                found = dir;
            }
        }
        return found;
    }

    private void memoryOfVersion1() {
        String path = paths.get("memory");
        if (path == null) {
            return;
        }
        Path at = below(root.resolve("memory"), path);
        Map<String, Long> stat = SmallFiles.numbers(at.resolve("memory.stat"));
        long limit = Math.min(
                SmallFiles.number(at.resolve("memory.limit_in_bytes")).orElse(Long.MAX_VALUE),
                stat.getOrDefault("hierarchical_memory_limit", Long.MAX_VALUE)); // That of the cgroups above.
        if (limit < NO_LIMIT) {
            into.put(metric("memory-max-bytes"), limit);
        }
        put("memory-current-bytes", SmallFiles.number(at.resolve("memory.usage_in_bytes")));
        put("memory-file-bytes", stat, stat.containsKey("total_cache") ? "total_cache" : "cache");
        put("memory-anon-bytes", stat, stat.containsKey("total_rss") ? "total_rss" : "rss");
        put("oom-kills-total", SmallFiles.numbers(at.resolve("memory.oom_control")), "oom_kill");
    }

    private void processorsOfVersion1() {
        String path = paths.get("cpu");
        if (path == null) {
            return;
        }
        Path mounted = Files.isDirectory(root.resolve("cpu")) ? root.resolve("cpu") : root.resolve("cpu,cpuacct");
        Path at = below(mounted, path);
        quota(SmallFiles.number(at.resolve("cpu.cfs_quota_us")), SmallFiles.number(at.resolve("cpu.cfs_period_us")))
                .ifPresent(cores -> into.put(metric("cpu-cores"), cores));
        Map<String, Long> stat = SmallFiles.numbers(at.resolve("cpu.stat"));
        put("cpu-periods-total", stat, "nr_periods");
        put("cpu-throttled-total", stat, "nr_throttled");
    }

    /** {@code 259:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0}. */
    private void io(Path at) {
        Map<String, String> names = Map.of(
                "rbytes",
                "read-bytes-total",
                "wbytes",
                "written-bytes-total",
                "rios",
                "reads-total",
                "wios",
                "writes-total");
        for (String line : SmallFiles.lines(at.resolve("io.stat"))) {
            String[] words = line.split(" ", -1);
            Map<String, String> tags = Map.of("device", devices.getOrDefault(words[0], words[0]));
            for (String word : words) {
                int equals = word.indexOf('=');
                String name = equals < 0 ? null : names.get(word.substring(0, equals));
                if (name != null) {
                    SmallFiles.number(word.substring(equals + 1))
                            .ifPresent(value -> into.put(Metric.of(Groups.CGROUP, name, tags), value));
                }
            }
        }
    }

    private void put(String name, Map<String, Long> told, String key) {
        into.put(metric(name), told.get(key));
    }

    private void put(String name, OptionalLong value) {
        value.ifPresent(number -> into.put(metric(name), number));
    }

    private static Metric metric(String name) {
        return Metric.of(Groups.CGROUP, name);
    }
}
