package dev.laneway.ops.check;

import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** B2 and C13: who has the partitions, at the brokers and in the group. */
final class PartitionRules {
    private PartitionRules() {}

    static List<Rule> all() {
        return List.of(Rule.of(RuleId.B2, (seen, _) -> leaders(seen)), Rule.of(RuleId.C13, PartitionRules::spread));
    }

    private static Finding leaders(Observations seen) {
        List<Series> leaders = seen.all(Groups.PARTITION, "leaders");
        if (leaders.isEmpty()) {
            return Finding.unknown(
                    RuleId.B2,
                    "no broker told the partitions' leaders",
                    "give --bootstrap and --group, and the right DESCRIBE on the topics");
        }
        FindingBuilder finding =
                new FindingBuilder(RuleId.B2).threshold("each partition has a leader, and all replicas are in sync");
        List<String> without = leaders.stream()
                .filter(series -> series.last() == 0)
                .map(PartitionRules::name)
                .toList();
        if (!without.isEmpty()) {
            without.forEach(name -> finding.evidence(name + " has no leader"));
            return finding.observed(Figures.few(without) + " without a leader")
                    .fail(
                            Cause.NO_LEADER,
                            Confidence.HIGH,
                            Figures.few(without) + " " + (without.size() == 1 ? "has" : "have")
                                    + " no leader: nobody can read or write there.",
                            "Start the brokers that have the replicas, and look in their logs why they are away; the"
                                    + " group goes on by itself.");
        }
        List<Series> replicas = seen.all(Groups.PARTITION, "replicas");
        List<String> behind = replicas.stream()
                .filter(series -> inSync(seen, series) < series.last())
                .map(PartitionRules::name)
                .toList();
        if (behind.isEmpty()) {
            return finding.observed(Figures.plural(leaders.size(), "partition has a leader", "partitions have leaders")
                            + " and all replicas in sync")
                    .fine();
        }
        replicas.stream()
                .filter(series -> behind.contains(name(series)))
                .forEach(series -> finding.evidence(name(series) + ": " + Figures.number(inSync(seen, series)) + " of "
                        + Figures.number(series.last()) + " replicas in sync"));
        return finding.observed(Figures.few(behind) + " with replicas behind")
                .warn(
                        null,
                        Confidence.HIGH,
                        "Not all replicas of " + Figures.few(behind)
                                + " are in sync: sends with acks=all wait for those that are, and fail below"
                                + " min.insync.replicas.",
                        "Look at the brokers of those replicas: one is away, or its disk or network is slow.");
    }

    /** Whether an instance has yet to restore state before it can take its tasks. */
    static boolean isRestoring(Observations seen) {
        return seen.all(StreamsMetric.RECORDS_LAG.group(), StreamsMetric.RECORDS_LAG.metric()).stream()
                .anyMatch(lag -> lag.metric().tag("client-id").contains("restore-consumer") && lag.last() > 0);
    }

    private static double inSync(Observations seen, Series replicas) {
        return seen
                .all(
                        Groups.PARTITION,
                        "in-sync",
                        series ->
                                series.metric().tags().equals(replicas.metric().tags()))
                .stream()
                .mapToDouble(Series::last)
                .findFirst()
                .orElse(replicas.last());
    }

    private static String name(Series series) {
        return series.metric().tag("topic") + "-" + series.metric().tag("partition");
    }

    /** An assignor that looks at each topic by itself gives the first member one partition of each. */
    private static Finding spread(Observations seen, Thresholds thresholds) {
        GroupPicture group = GroupPicture.of(seen);
        if (!group.isSeen()) {
            return Finding.unknown(
                    RuleId.C13, "no broker told who has which partitions", "give --bootstrap and --group");
        }
        FindingBuilder finding =
                new FindingBuilder(RuleId.C13).threshold("no member has twice its share of the partitions");
        Map<String, Integer> counts = new TreeMap<>();
        Map<String, Double> lags = new TreeMap<>();
        for (Part part : group.parts) {
            if (!part.member().isEmpty()) {
                counts.merge(part.member(), 1, Integer::sum);
                lags.merge(part.member(), part.lag(), Double::sum);
            }
        }
        int members = group.members();
        int owned = counts.values().stream().mapToInt(Integer::intValue).sum();
        if (members < 2 || counts.isEmpty()) {
            return finding.observed(Figures.plural(members, "member", "members"))
                    .fine();
        }
        String first = counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        int most = counts.getOrDefault(first, 0);
        int share = (owned + members - 1) / members;
        finding.observed("one of " + members + " members has " + most + " of " + owned + " partitions");
        if (most < 2 * share || isRestoring(seen)) { // Tasks move once their state is there.
            return finding.fine();
        }
        counts.forEach(
                (member, count) -> finding.evidence(member + ": " + Figures.plural(count, "partition", "partitions")
                        + ", lag " + Figures.number(lags.getOrDefault(member, 0.0))));
        String diagnosis = first + " has " + most + " of " + owned + " partitions, and the other "
                + Figures.plural(members - 1, "member", "members") + " the rest.";
        String remedy = "Set partition.assignment.strategy to CooperativeStickyAssignor in all members (RangeAssignor"
                + " looks at each topic by itself), or see whether all members subscribe to the same topics.";
        boolean holdsUp = group.trend().grows()
                && lags.getOrDefault(first, 0.0) > group.lag() * thresholds.of(Threshold.LAG_SHARE);
        return holdsUp
                ? finding.fail(Cause.UNEVEN_ASSIGNMENT, Confidence.MEDIUM, diagnosis, remedy)
                : finding.warn(Cause.UNEVEN_ASSIGNMENT, Confidence.LOW, diagnosis, remedy);
    }
}
