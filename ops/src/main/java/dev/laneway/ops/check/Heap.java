package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** The heap of one process and its collections. */
record Heap(Instance instance) {
    private static final int ENOUGH_SAMPLES = 3;
    private static final double LEAST_UPTIME_MILLIS = 10_000;

    /**
     * The share of the time in which collections stopped the process; empty with one sample. Collectors that run beside
     * the threads (ZGC's and Shenandoah's cycles, G1's concurrent part) stop nothing and do not count.
     */
    OptionalDouble collecting() {
        List<Series> seen = pauses();
        return seen.isEmpty()
                ? sinceStart()
                : seen.stream().mapToDouble(series -> series.rate() / 1e3).reduce(Double::sum);
    }

    /** The same since the process was started: one that collects all the time may answer only once. */
    private OptionalDouble sinceStart() {
        OptionalDouble uptime = instance.sum(Groups.JVM, "uptime-ms");
        return uptime.orElse(0) < LEAST_UPTIME_MILLIS
                ? OptionalDouble.empty()
                : collectors().stream()
                        .mapToDouble(series -> series.last() / uptime.getAsDouble())
                        .reduce(Double::sum);
    }

    /** Whether it is known since the start of the process only. */
    boolean isSinceStart() {
        return pauses().isEmpty();
    }

    /** The times of the collectors that stop threads, where they were seen twice. */
    List<Series> pauses() {
        return collectors().stream().filter(series -> series.seconds() > 0).toList();
    }

    private List<Series> collectors() {
        return instance.all(Groups.JVM, "gc-time-ms-total").stream()
                .filter(series -> !series.metric().tag("gc").endsWith("Cycles")
                        && !series.metric().tag("gc").contains("Concurrent"))
                .toList();
    }

    OptionalDouble limit() {
        OptionalDouble limit = instance.sum(Groups.JVM, "heap-max-bytes");
        return limit.isPresent() && limit.getAsDouble() > 0 ? limit : OptionalDouble.empty();
    }

    /** The share of the heap that is live after collections; empty if none was seen. */
    OptionalDouble live() {
        OptionalDouble live = instance.sum(Groups.JVM, "heap-after-gc-bytes");
        return share(live.isPresent() && live.getAsDouble() > 0 ? live : OptionalDouble.empty());
    }

    /** The least that was used in any of several samples: what is live is no more than that. */
    OptionalDouble leastUsed() {
        List<Series> used = instance.all(Groups.JVM, "heap-used-bytes");
        return used.stream().anyMatch(series -> series.points().size() < ENOUGH_SAMPLES)
                ? OptionalDouble.empty()
                : share(used.stream().mapToDouble(Series::min).reduce(Double::sum));
    }

    private OptionalDouble share(OptionalDouble bytes) {
        return bytes.isEmpty() || limit().isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(bytes.getAsDouble() / limit().getAsDouble());
    }

    List<String> evidence() {
        List<String> lines = new ArrayList<>();
        instance.all(Groups.JVM, "heap-after-gc-bytes").forEach(series -> lines.add(Figures.last(series)));
        instance.all(Groups.JVM, "heap-max-bytes").forEach(series -> lines.add(Figures.last(series)));
        return lines;
    }
}
