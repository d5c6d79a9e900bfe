package dev.laneway.ops.check;

import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.List;

/** The rules about memory: M1 to M9. */
final class MemoryRules {
    private MemoryRules() {}

    static List<Rule> all() {
        return List.of(
                new GcRule(),
                new StreamsRule(RuleId.M2, NativeMemoryRules::bounded),
                new StreamsRule(RuleId.M3, NativeMemoryRules::allocator),
                new StreamsRule(RuleId.M4, MemoryRules::memoryState),
                new StreamsRule(RuleId.M5, CacheRules::recordCache),
                new StreamsRule(RuleId.M6, CacheRules::blockCache),
                new StreamsRule(RuleId.M7, WriteBufferRule::judge),
                new StreamsRule(RuleId.M8, CacheRules::pageCache),
                new StreamsRule(RuleId.M9, NativeMemoryRules::stores));
    }

    /** M4: state that lies in memory fits into the heap. */
    private static Finding memoryState(Instance instance, Thresholds limits) {
        Heap heap = new Heap(instance);
        List<Series> held = new ArrayList<>(instance.all(StreamsMetric.MEMORY_KEYS));
        held.addAll(instance.all(StreamsMetric.SUPPRESSED));
        boolean detailed = instance.debug().orElse(false);
        if (held.isEmpty() && detailed) {
            return Finding.fine(RuleId.M4, "no state in memory in " + instance.source(), "", List.of());
        }
        if (heap.live().isEmpty()) {
            return Finding.unknown(
                    RuleId.M4,
                    "What is live in the heap of " + instance.source() + " after a collection is not seen.",
                    "Give " + instance.source() + " with --pid or --jmx, and watch until it has collected once.");
        }
        double live = heap.live().getAsDouble();
        double most = limits.of(Threshold.HEAP_SHARE);
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.M4,
                        Figures.percent(live) + " of the heap of " + instance.source() + " is live",
                        "at most " + Figures.percent(most))
                .evidence(heap.evidence())
                .evidence(held.stream().map(Figures::last).toList());
        if (live <= most) {
            return judged.fine();
        }
        if (held.isEmpty()) {
            return Finding.unknown(
                    RuleId.M4,
                    Figures.percent(live) + " of the heap of " + instance.source()
                            + " is live, and whether buffers of suppress() take it is not recorded.",
                    instance.atDebug());
        }
        boolean collects = heap.collecting().orElse(0) > limits.of(Threshold.GC_SHARE);
        return judged.bad(
                        collects ? FindingStatus.FAIL : FindingStatus.WARN,
                        Figures.percent(live) + " of the heap of " + instance.source() + " is live with "
                                + Figures.count(held.size(), "store") + " or buffers in memory: "
                                + (collects ? "collections take the time." : "it can run out of memory."),
                        "Give " + instance.source() + " a larger heap than "
                                + Figures.bytes(heap.limit().orElse(0))
                                + " (-Xmx), or keep its stores in RocksDB.")
                .because(Cause.SMALL_HEAP, collects ? Confidence.HIGH : Confidence.MEDIUM);
    }
}
