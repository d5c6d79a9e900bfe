package dev.laneway.ops.check;

import dev.laneway.ops.check.StateLoad.Answer;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.List;

/** M5, M6 and M8: the caches that state is read from, from the nearest to the farthest. */
final class CacheRules {
    private CacheRules() {}

    /**
     * M5. A record cache counts a hit when it flushes a changed key, so that half of the reads are hits in one without
     * any use, and it counts since the store was made: never a cause by itself.
     */
    static Finding recordCache(Instance instance, Thresholds limits) {
        List<Series> caches = instance.all(StreamsMetric.RECORD_CACHE_HITS);
        if (caches.isEmpty()) {
            return instance.debug().orElse(false)
                    ? Finding.fine(RuleId.M5, "no record cache in use in " + instance.source(), "", List.of())
                    : Finding.unknown(
                            RuleId.M5,
                            "The hits of record caches in " + instance.source() + " are not recorded.",
                            instance.atDebug());
        }
        double hits = caches.stream().mapToDouble(Series::last).average().orElseThrow();
        double useless = limits.of(Threshold.RECORD_CACHE_HITS);
        String size = instance.config("statestore.cache.max.bytes").orElse("10485760 unless it is set");
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.M5,
                        Figures.percent(hits) + " of the reads of record caches in " + instance.source() + " are hits",
                        "more than " + Figures.percent(useless) + ", or a disk with room")
                .evidence(caches.stream().map(Figures::last).toList());
        StateLoad load = new StateLoad(instance, limits);
        boolean busy = load.busy().orElse(0) > limits.of(Threshold.DISK_SHARE);
        if (hits > useless || (!busy && load.readsMuch() != Answer.YES)) {
            return judged.fine();
        }
        return judged.bad(
                busy ? FindingStatus.FAIL : FindingStatus.WARN,
                "Record caches in " + instance.source() + " have no effective hits ("
                        + Figures.percent(hits) + "; changed keys alone make half), while the disk "
                        + (busy
                                ? "is busy " + Figures.percent(load.busy().orElse(0)) + " of the time."
                                : "is read " + Figures.number(load.reads().orElse(0)) + " times a second."),
                "Raise statestore.cache.max.bytes in " + instance.source() + " (now " + size
                        + ") if keys come again within a commit interval.");
    }

    /** M6. */
    static Finding blockCache(Instance instance, Thresholds limits) {
        if (instance.stores() == 0) {
            return Finding.fine(RuleId.M6, "no RocksDB store in " + instance.source(), "", List.of());
        }
        if (instance.all(StreamsMetric.DATA_HITS).isEmpty()) {
            return Finding.unknown(
                    RuleId.M6,
                    "The hits of block caches in " + instance.source() + " are not recorded.",
                    instance.atDebug());
        }
        StateLoad load = new StateLoad(instance, limits);
        double least = limits.of(Threshold.BLOCK_CACHE_HITS);
        boolean mayMiss = load.readsPastCache() == Answer.YES || load.isBeforeStatistics();
        if (load.hits().isEmpty() && load.readsMuch() == Answer.YES && mayMiss) {
            return Finding.unknown(
                    RuleId.M6,
                    "The disk is read, and the hits of block caches in " + instance.source()
                            + " are not recorded yet: RocksDB's statistics come once a minute.",
                    instance.atDebug());
        }
        if (load.hits().isEmpty()) {
            return Finding.fine(
                    RuleId.M6,
                    "no store in " + instance.source() + " reads its block cache",
                    "at least " + Figures.percent(least),
                    List.of());
        }
        double hits = load.hits().getAsDouble();
        List<Series> ratios = new ArrayList<>(load.readStores());
        ratios.addAll(instance.all(StreamsMetric.INDEX_HITS));
        ratios.addAll(instance.all(StreamsMetric.FILTER_HITS));
        ratios.addAll(instance.all(StreamsMetric.CACHE_USAGE));
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.M6,
                        Figures.percent(hits) + " of block reads in " + instance.source() + " are hits"
                                + load.readTimeText(),
                        "at least " + Figures.percent(least) + ", or few reads from disk, or reads that take at most "
                                + Figures.percent(limits.of(Threshold.READ_TIME)) + " of a thread's time")
                .evidence(ratios.stream().map(Figures::last).toList());
        Answer reads = load.readsMuch();
        if (hits >= least || reads == Answer.NO) {
            return judged.fine();
        }
        String remedy = "Give " + instance.source()
                + " more memory: for the page cache first, which holds compressed blocks, then for the shared"
                + " block cache (now " + Figures.bytes(load.cacheBytes()) + ").";
        if (reads == Answer.NOT_KNOWN) {
            return judged.warn(
                    "Only " + Figures.percent(hits) + " of block reads in " + instance.source()
                            + " are hits; whether the others go to the disk or to the page cache is not seen.",
                    remedy + " Run check on the machine with --pid to see the disk first.");
        }
        return judged.evidence(diskReads(instance))
                .fail(
                        "Only " + Figures.percent(hits) + " of block reads in " + instance.source() + " are hits, and "
                                + Figures.number(load.readsPerRecord().orElse(0))
                                + " reads a record go to the disk.",
                        remedy)
                .because(Cause.READ_MEMORY, Confidence.HIGH);
    }

    static List<String> diskReads(Instance instance) {
        List<String> lines = new ArrayList<>();
        instance.all(Groups.PROCESS, "read-bytes-total").forEach(series -> lines.add(Figures.growth(series)));
        instance.all(Groups.PROCESS, "written-bytes-total").forEach(series -> lines.add(Figures.growth(series)));
        instance.all(Groups.DISK, "reads-total").forEach(series -> lines.add(Figures.growth(series)));
        instance.all(StreamsMetric.PROCESSED).forEach(series -> lines.add(Figures.growth(series)));
        return lines;
    }

    /** M8. */
    static Finding pageCache(Instance instance, Thresholds limits) {
        if (instance.stores() == 0) {
            return Finding.fine(RuleId.M8, "no RocksDB store in " + instance.source(), "", List.of());
        }
        StateLoad load = new StateLoad(instance, limits);
        if (load.pageShare().isEmpty()) {
            return Finding.unknown(
                    RuleId.M8,
                    "The memory limit of " + instance.source() + " and what it holds of that are not seen.",
                    "Run check on the machine of " + instance.source()
                            + " with --pid, in a container with a memory limit.");
        }
        String room = Figures.bytes(load.pageRoom().orElse(0));
        String state = Figures.bytes(instance.sum(StreamsMetric.SST_BYTES).orElse(0));
        List<String> evidence = new ArrayList<>();
        for (String name : List.of("memory-max-bytes", "memory-anon-bytes", "memory-file-bytes")) {
            instance.all(Groups.CGROUP, name).forEach(series -> evidence.add(Figures.last(series)));
        }
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.M8,
                        "the page cache of " + instance.source() + " can have " + room + " for " + state + " of state",
                        "room for " + Figures.percent(limits.of(Threshold.PAGE_CACHE_SHARE))
                                + " of the state, or few reads from disk")
                .evidence(evidence);
        boolean few = load.pagesFew() == Answer.YES;
        boolean full = load.pagesFull() == Answer.YES;
        Answer reads = load.readsMuch();
        String remedy = "Raise the memory limit of " + instance.source() + " (now "
                + Figures.bytes(load.memoryLimit().orElse(0)) + ") and leave heap and block cache as they are.";
        if (reads == Answer.YES && (few || full)) {
            return judged.evidence(diskReads(instance))
                    .fail(
                            "The page cache of " + instance.source() + " has room for " + room + " of " + state
                                    + " of state, and "
                                    + Figures.number(load.readsPerRecord().orElse(0))
                                    + " reads a record go to the disk.",
                            remedy)
                    .because(Cause.READ_MEMORY, few ? Confidence.HIGH : Confidence.MEDIUM);
        }
        return few && reads == Answer.NOT_KNOWN
                ? judged.warn(
                        "The page cache of " + instance.source() + " has room for " + room + " of " + state
                                + " of state; whether the disk is read for the rest is not seen.",
                        remedy + " Run check with --pid to see the disk first.")
                : judged.fine();
    }
}
