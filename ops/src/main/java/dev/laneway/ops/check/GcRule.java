package dev.laneway.ops.check;

import dev.laneway.ops.observe.Observations;
import java.util.List;
import java.util.OptionalDouble;

/** M1: garbage collection takes little time, and what is live leaves room in the heap. */
final class GcRule implements Rule {
    @Override
    public RuleId id() {
        return RuleId.M1;
    }

    @Override
    public Finding judge(Observations seen, Thresholds limits) {
        List<Instance> jvms = Instance.jvms(seen);
        return jvms.isEmpty()
                ? Finding.unknown(RuleId.M1, "No JVM of the group is seen.", "Give a process with --pid or with --jmx.")
                : StreamsRule.worst(jvms.stream().map(jvm -> one(jvm, limits)).toList());
    }

    private static Finding one(Instance jvm, Thresholds limits) {
        Heap heap = new Heap(jvm);
        if (heap.collecting().isEmpty()) {
            return Finding.unknown(
                    RuleId.M1,
                    "The time of garbage collections in " + jvm.source() + " was not seen twice.",
                    "Watch " + jvm.source() + " for at least two samples, with --pid or with --jmx.");
        }
        double share = heap.collecting().getAsDouble();
        double most = limits.of(Threshold.GC_SHARE);
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.M1,
                        Figures.percent(share) + " of the time in " + jvm.source() + " goes into garbage collection"
                                + (heap.isSinceStart() ? ", since its start" : ""),
                        "at most " + Figures.percent(most))
                .evidence(heap.pauses().stream().map(Figures::growth).toList())
                .evidence(heap.evidence());
        double room = limits.of(Threshold.HEAP_SHARE);
        boolean full = heap.live().orElse(0) > room;
        if (share <= most) {
            return full ? nearlyFull(judged, jvm, heap) : judged.fine();
        }
        boolean severe = share > limits.of(Threshold.GC_SHARE_SEVERE);
        FindingStatus status = severe ? FindingStatus.FAIL : FindingStatus.WARN;
        OptionalDouble used = full ? heap.live() : heap.leastUsed();
        if (used.orElse(0) > room) {
            return judged.bad(
                            status,
                            Figures.percent(share) + " of the time goes into garbage collection because "
                                    + Figures.percent(used.getAsDouble()) + " of the heap of " + jvm.source()
                                    + (full ? " is live after a collection." : " is always in use."),
                            "Give " + jvm.source() + " a larger heap than "
                                    + Figures.bytes(heap.limit().orElse(0))
                                    + " (-Xmx), or keep less in memory: fewer records at a time, smaller caches.")
                    .because(Cause.SMALL_HEAP, full ? Confidence.HIGH : Confidence.MEDIUM);
        }
        return judged.bad(
                        status,
                        "Garbage collection stops " + jvm.source() + " for " + Figures.percent(share)
                                + " of the time"
                                + (used.isPresent()
                                        ? " though only " + Figures.percent(used.getAsDouble())
                                                + " of the heap is always in use."
                                        : "."),
                        "Find out what allocates in " + jvm.source()
                                + " (a JFR recording), or give it a larger young generation or another collector.")
                .because(Cause.GC, severe ? Confidence.HIGH : Confidence.MEDIUM);
    }

    private static Finding nearlyFull(FindingBuilder judged, Instance jvm, Heap heap) {
        String live = Figures.percent(heap.live().orElse(0));
        return judged.warn(
                        live + " of the heap of " + jvm.source()
                                + " is live after a collection: little more, and collections take all the time.",
                        "Give " + jvm.source() + " a larger heap than "
                                + Figures.bytes(heap.limit().orElse(0)) + " (-Xmx), or keep less in memory.")
                .because(Cause.SMALL_HEAP, Confidence.LOW);
    }
}
