package dev.laneway.ops.check;

import java.util.List;

/** The rules about Kafka Streams: its threads, tasks, directory, metrics and records. */
final class StreamsRules {
    private static final double DEBUG = 1;

    private StreamsRules() {}

    static List<Rule> all() {
        return List.of(
                new StreamsRule(RuleId.S4, ThreadRules::alive),
                new StreamsRule(RuleId.P3, VolumeRules::stateDirectory),
                new StreamsRule(RuleId.P4, StreamsRules::level),
                new TaskRule(),
                new StreamsRule(RuleId.C10, ThreadRules::time),
                new StreamsRule(RuleId.C11, RecordRules::dropped),
                new StreamsRule(RuleId.C14, NodeRule::slowest),
                new StreamsRule(RuleId.U3, RecordRules::restoring));
    }

    /** P4: only what lies in stores needs more than the level INFO. */
    static Finding level(Instance instance, Thresholds limits) {
        String source = instance.source();
        if (instance.all(StreamsMetric.RECORDING_LEVEL).isEmpty()) {
            return Finding.unknown(
                    RuleId.P4,
                    "The recording level of " + source + " is not seen: it is told from Kafka 4.0 on.",
                    "Look up metrics.recording.level in the configuration of " + source + ".");
        }
        double level = instance.all(StreamsMetric.RECORDING_LEVEL).getFirst().last();
        String name = level < DEBUG ? "INFO" : level == DEBUG ? "DEBUG" : "TRACE";
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.P4,
                        source + " records metrics at " + name,
                        "DEBUG for the time of a check of stores, INFO else")
                .evidence(instance.all(StreamsMetric.RECORDING_LEVEL).stream()
                        .map(Figures::last)
                        .toList());
        if (level > DEBUG) {
            return judged.warn(
                    source + " records metrics at TRACE, which costs time for each record.",
                    "Set metrics.recording.level=INFO in " + source + ", or DEBUG for the time of a check.");
        }
        return level < DEBUG && instance.stores() > 0
                ? judged.warn(
                        source + " records metrics at INFO: the hits of the caches of "
                                + Figures.count(instance.stores(), "store") + " are not seen (M5, M6).",
                        "Set metrics.recording.level=DEBUG in " + source
                                + " for the time of a check, then INFO again: it costs time for each record.")
                : judged.fine();
    }
}
