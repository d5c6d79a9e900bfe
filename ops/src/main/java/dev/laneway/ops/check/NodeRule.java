package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Series;
import java.util.Comparator;
import java.util.List;

/** C14: which processor node takes most of a thread's time. */
final class NodeRule {
    /** The class that times nodes; not by its class, which needs Kafka Streams. */
    static final String TIMER = "dev.laneway.ops.observe.NodeTimer";

    private static final int NAMED = 3;

    private NodeRule() {}

    static Finding slowest(Instance instance, Thresholds limits) {
        String source = instance.source();
        List<Series> nodes = instance.all(Groups.NODE, "busy-ns-total").stream()
                .filter(node -> node.seconds() > 0)
                .sorted(Comparator.comparingDouble(Series::rate).reversed())
                .toList();
        if (nodes.isEmpty()) {
            return Finding.unknown(
                    RuleId.C14,
                    "The times of the processor nodes of " + source + " are not seen.",
                    "Set processor.wrapper.class=" + TIMER + " in " + source
                            + ", make its topology with that configuration, and give it by --pid or --jmx.");
        }
        Series first = nodes.getFirst();
        double share = first.rate() / 1e9;
        String node = first.metric().tag("processor-node-id");
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.C14,
                        "node " + node + " takes most: " + Figures.percent(share) + " of its thread's time",
                        "at most " + Figures.percent(limits.of(Threshold.NODE_SHARE))
                                + " of a thread's time in one node, if the lag grows")
                .evidence(nodes.stream()
                        .limit(NAMED)
                        .map(one -> line(instance, one))
                        .toList());
        return share > limits.of(Threshold.NODE_SHARE)
                        && GroupPicture.of(instance.seen()).trend().grows()
                ? judged.warn(
                        "Node " + node + " takes " + Figures.percent(share) + " of the time of thread "
                                + first.metric().tag("thread-id") + " of " + source + ".",
                        "Profile that node first: what it computes, the stores that it reads, or the service that it"
                                + " calls.")
                : judged.fine();
    }

    private static String line(Instance instance, Series node) {
        double calls = other(instance, node, "calls-total");
        return node.source() + ": node " + node.metric().tag("processor-node-id") + " of "
                + node.metric().tag("thread-id") + ": " + Figures.percent(node.rate() / 1e9) + " of the thread's time, "
                + Figures.number(calls / node.seconds()) + " calls a second, "
                + Figures.number(node.growth() / Math.max(1, calls) / 1e6) + " ms each";
    }

    private static double other(Instance instance, Series node, String name) {
        return instance.seen()
                .one(node.source(), Metric.of(Groups.NODE, name, node.metric().tags()))
                .map(Series::growth)
                .orElse(0.0);
    }
}
