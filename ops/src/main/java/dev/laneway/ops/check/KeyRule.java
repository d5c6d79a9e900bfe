package dev.laneway.ops.check;

import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import java.util.Optional;
import java.util.OptionalDouble;

/** C12: whether one key makes a partition hot, by the keys of records in it. */
final class KeyRule {
    private static final String HOW =
            "give --keys, and the right READ on the topic: some of its records are read, their keys are counted and"
                    + " forgotten";
    /** Fewer records say nothing about keys. */
    private static final double LEAST_RECORDS = 50;

    private KeyRule() {}

    static Finding judge(Observations seen, Thresholds thresholds) {
        GroupPicture group = GroupPicture.of(seen);
        if (!group.isSeen()) {
            return Finding.unknown(RuleId.C12, "no broker told the partitions' loads", "give --bootstrap and --group");
        }
        FindingBuilder finding =
                new FindingBuilder(RuleId.C12).threshold("no partition is hot, or it is so without its first key, too");
        Optional<Part> found = Skew.hot(group, thresholds);
        if (found.isEmpty()) {
            return finding.observed("no partition is hot").fine();
        }
        Part hot = found.get();
        String problem =
                seen.text(Metric.of(Groups.KEYS, "problem", hot.tags().tags())).orElse("");
        double records = told(seen, hot, "records").orElse(0);
        if (records < LEAST_RECORDS) {
            String why = !problem.isEmpty()
                    ? problem
                    : told(seen, hot, "records").isEmpty()
                            ? "keys were not read"
                            : "only " + Figures.number(records) + " of its records could be read in time";
            return Finding.unknown(
                    RuleId.C12, "whether one key makes " + hot.name() + " hot cannot be told: " + why, HOW);
        }
        double first = told(seen, hot, "most-frequent").orElse(0);
        double share = first / records;
        finding.observed(Figures.percent(share) + " of the records read of " + hot.name() + " have one key")
                .evidence(hot.name() + ": " + Figures.number(records) + " records read, " + Figures.number(first)
                        + " of them of one key, "
                        + Figures.number(told(seen, hot, "distinct").orElse(0)) + " different keys, "
                        + Figures.number(told(seen, hot, "keyless").orElse(0)) + " records without a key");
        double without = hot.appended() * (1 - share);
        int partitions = group.ofTopic(hot).size();
        double mean = Skew.mean(group, hot) - hot.appended() * share / partitions;
        if (Skew.isHot(without, mean, partitions, thresholds)) {
            return finding.fine();
        }
        String diagnosis = Figures.percent(share) + " of the records in " + hot.name()
                + " have one key; without it the partition would have " + Figures.number(mean == 0 ? 0 : without / mean)
                + " times the mean load.";
        String remedy = "Split that key (such as by a number after it), or handle its records faster: neither more"
                + " instances nor more partitions share the records of one key.";
        return Skew.holdsUp(group, hot, thresholds)
                ? finding.fail(Cause.HOT_KEY, Confidence.HIGH, diagnosis, remedy)
                : finding.warn(Cause.HOT_KEY, Confidence.MEDIUM, diagnosis, remedy);
    }

    private static OptionalDouble told(Observations seen, Part part, String name) {
        return seen
                .all(
                        Groups.KEYS,
                        name,
                        series -> series.metric().tags().equals(part.tags().tags()))
                .stream()
                .mapToDouble(series -> series.last())
                .findFirst();
    }
}
