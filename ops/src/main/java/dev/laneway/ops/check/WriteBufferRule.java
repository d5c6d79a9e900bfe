package dev.laneway.ops.check;

import dev.laneway.ops.check.StateLoad.Answer;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.List;

/** M7: write buffers are large enough, so that state is written in large pieces. */
final class WriteBufferRule {
    private static final double MOSTLY = 0.5;

    private WriteBufferRule() {}

    static Finding judge(Instance instance, Thresholds limits) {
        if (instance.stores() == 0) {
            return Finding.fine(RuleId.M7, "no RocksDB store in " + instance.source(), "", List.of());
        }
        StateLoad load = new StateLoad(instance, limits);
        double stalled = instance.growth(StreamsMetric.WRITE_STALLS);
        if (load.flushes().isEmpty()) {
            return Finding.unknown(
                    RuleId.M7,
                    "The write buffers of " + instance.source() + " were not seen twice.",
                    "Watch " + instance.source() + " for at least two samples, with --pid or with --jmx.");
        }
        double flushes = load.flushes().getAsDouble();
        double least = limits.of(Threshold.WRITE_BUFFER);
        double most = limits.of(Threshold.FLUSHES);
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.M7,
                        "a write buffer in " + instance.source() + " is flushed " + Figures.number(flushes)
                                + " times a minute"
                                + (load.buffer().isPresent()
                                        ? " at " + Figures.bytes(load.buffer().getAsDouble())
                                        : ""),
                        "at least " + Figures.bytes(least) + " a store, or at most " + Figures.number(most)
                                + " flushes a minute")
                .evidence(evidence(instance));
        boolean small = load.flushesMuch() == Answer.YES;
        boolean busy = load.busy().orElse(0) > limits.of(Threshold.DISK_SHARE);
        boolean queues = load.waitingFlushes() > MOSTLY;
        if (!small) {
            return stalled > 0
                    ? judged.warn(
                            "RocksDB in " + instance.source() + " held writes up " + Figures.number(stalled)
                                    + " µs though its write buffers are not small: the disk does not keep up.",
                            "Look at the disk of " + instance.source() + " (rules D2 and D3).")
                    : judged.fine();
        }
        String held = stalled > 0
                ? ", and held writes up for " + Figures.number(stalled) + " µs."
                : busy
                        ? ", and the disk is busy "
                                + Figures.percent(load.busy().orElse(0)) + " of the time."
                        : queues
                                ? ", and a full one waits to be flushed in " + Figures.percent(load.waitingFlushes())
                                        + " of the looks."
                                : ".";
        boolean holds = stalled > 0 || busy || queues;
        return judged.bad(
                        holds ? FindingStatus.FAIL : FindingStatus.WARN,
                        "A store in " + instance.source() + " flushes " + Figures.number(flushes)
                                + " times a minute, in pieces of "
                                + Figures.bytes(load.buffer().orElse(0)) + held,
                        "Raise the WriteBufferManager's limit in " + instance.source() + " to "
                                + Figures.bytes(least * instance.stores()) + " ("
                                + Figures.bytes(least) + " for each of "
                                + Figures.count(instance.stores(), "store") + ", at most half of the block cache).")
                .because(Cause.WRITE_MEMORY, holds ? Confidence.HIGH : Confidence.MEDIUM);
    }

    static List<String> evidence(Instance instance) {
        List<String> lines = new ArrayList<>();
        for (Series series : instance.all(StreamsMetric.ACTIVE_MEMTABLE)) {
            lines.add(series.source() + ": " + series.metric() + " fell " + series.falls() + " times, highest "
                    + Figures.bytes(series.max()));
        }
        instance.all(Groups.PROCESS, "written-bytes-total").forEach(series -> lines.add(Figures.growth(series)));
        instance.all(StreamsMetric.WRITE_STALLS).forEach(series -> lines.add(Figures.growth(series)));
        instance.all(StreamsMetric.COMPACTED).forEach(series -> lines.add(Figures.last(series)));
        return lines;
    }
}
