package dev.laneway.ops.check;

import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.List;
import java.util.OptionalDouble;

/** What waits: whether it becomes more (C1), whether retention takes it (C2), whether it is a record at all (C3). */
final class BacklogRules {
    /** A consumer commits every 5 s by default. */
    private static final double COMMIT_SECONDS = 15;

    private static final String HOW =
            "give --bootstrap and --group, and the right DESCRIBE on the group and its topics";

    private BacklogRules() {}

    static List<Rule> all() {
        return List.of(
                Rule.of(RuleId.C1, (seen, _) -> growth(seen)),
                Rule.of(RuleId.C2, BacklogRules::retention),
                Rule.of(RuleId.C3, (seen, _) -> markers(seen)));
    }

    static Finding noLag(Observations seen, RuleId rule, String ofBrokers) {
        return LanewayPicture.of(seen).isEmpty()
                ? Finding.unknown(rule, ofBrokers, HOW)
                : Finding.unknown(
                        rule,
                        "it has no partition whose lag is known",
                        "wait until it has; of more members than partitions some stay without");
    }

    private static Finding growth(Observations seen) {
        GroupPicture group = GroupPicture.of(seen);
        if (!group.hasLag()) {
            return noLag(seen, RuleId.C1, "no broker told the group's lag");
        }
        LagTrend trend = group.trend();
        if (group.parts.isEmpty() && group.members() > 0) {
            return Finding.unknown(
                    RuleId.C1,
                    "the group has committed nothing yet, so that no lag is known",
                    "look whether it commits (enable.auto.commit, commitSync) or keeps its offsets elsewhere, and"
                            + " whether a transaction that was left open hides all records from it"
                            + " (kafka-transactions.sh find-hanging)");
        }
        if (trend.direction() == LagTrend.Direction.UNKNOWN) {
            return group.seconds() < COMMIT_SECONDS || group.appended() == 0
                    ? Finding.unknown(RuleId.C1, "there are too few samples for a trend", "watch longer: --for 30s")
                    : Finding.unknown(
                            RuleId.C1,
                            "the group commits too rarely, or nothing, for a trend in " + Figures.time(group.seconds()),
                            "watch for several commits, such as --for 120s, or give the members' processes: --pid");
        }
        double seconds = group.seconds();
        FindingBuilder finding = new FindingBuilder(RuleId.C1)
                .threshold("the lag does not grow")
                .evidence("appended " + Figures.number(group.appended() / seconds) + "/s, committed "
                        + Figures.number(group.done() / seconds) + "/s, lag " + Figures.number(group.lag()));
        if (trend.grows()) {
            finding.observed(
                    "lag grows by " + Figures.number(trend.perSecond()) + "/s, to " + Figures.number(group.lag()));
            return finding.fail(
                    null,
                    Confidence.HIGH,
                    "More comes than is done: the lag grows by " + Figures.number(trend.perSecond())
                            + " records a second.",
                    "See what limits the group below before you add instances.");
        }
        return finding.observed(
                        trend.direction() == LagTrend.Direction.SHRINKS
                                ? "lag shrinks by " + Figures.number(-trend.perSecond()) + "/s, to "
                                        + Figures.number(group.lag())
                                : "lag stays at about " + Figures.number(group.lag()))
                .fine();
    }

    private static Finding retention(Observations seen, Thresholds thresholds) {
        GroupPicture group = GroupPicture.of(seen);
        if (!group.isSeen()) {
            return Finding.unknown(RuleId.C2, "no broker told the start of the logs", HOW);
        }
        double least = thresholds.of(Threshold.RETENTION_SECONDS);
        FindingBuilder finding = new FindingBuilder(RuleId.C2)
                .threshold("at least " + Figures.time(least) + " until retention deletes what is not read");
        double left = Double.POSITIVE_INFINITY;
        String which = "";
        double lost = 0;
        for (Part part : group.parts) {
            double committed = value(seen, part, "committed");
            double start = value(seen, part, "start");
            if (start > committed) {
                lost += start - committed;
                finding.evidence(part.name() + ": the log starts at " + Figures.number(start)
                        + ", the committed offset is " + Figures.number(committed));
            }
            double of = secondsLeft(seen, part);
            if (part.lag() > 0 && of < left) {
                left = of;
                which = part.name();
            }
        }
        if (lost > 0) {
            return finding.observed(Figures.number(lost) + " offsets are gone")
                    .fail(
                            Cause.RETENTION_OVERTAKES,
                            Confidence.HIGH,
                            "Retention has deleted " + Figures.number(lost)
                                    + " offsets above the committed ones: what they" + " held was never read.",
                            "Raise retention.ms or retention.bytes of the topic now, then make the group faster.");
        }
        if (left < least) {
            finding.observed(Figures.time(Math.max(0, left)) + " left in " + which);
            return finding.fail(
                    Cause.RETENTION_OVERTAKES,
                    Confidence.MEDIUM,
                    "In " + which + " retention deletes the first record that is not read in about "
                            + Figures.time(Math.max(0, left)) + ".",
                    "Raise retention.ms or retention.bytes of the topic now, then make the group faster.");
        }
        return finding.observed(
                        Double.isInfinite(left) ? "nothing that waits is near its end" : Figures.time(left) + " left")
                .fine();
    }

    /** By age against the topic's time, and by how fast the start of the log comes nearer to what is committed. */
    private static double secondsLeft(Observations seen, Part part) {
        double left = Double.POSITIVE_INFINITY;
        OptionalDouble keeps =
                seen
                        .all(
                                Groups.TOPIC,
                                "retention-ms",
                                series -> series.metric().tag("topic").equals(part.topic()))
                        .stream()
                        .mapToDouble(Series::last)
                        .findFirst();
        // Of a partition that keeps up, old timestamps say how old records were when they came, as in a backfill.
        boolean isBehind = part.done() < part.appended() || part.lag() > part.done();
        if (keeps.isPresent() && isBehind && part.ageSeconds() > keeps.getAsDouble() / 2e3) {
            left = keeps.getAsDouble() / 1e3 - part.ageSeconds();
        }
        Series start = series(seen, part, "start");
        Series committed = series(seen, part, "committed");
        if (start != null && committed != null) {
            // A group that moves on as fast as the start does is not overtaken, however near that is.
            double closing = start.rate() - committed.rate();
            if (closing > 0) {
                left = Math.min(left, (committed.last() - start.last()) / closing);
            }
        }
        return left;
    }

    private static double value(Observations seen, Part part, String name) {
        Series series = series(seen, part, name);
        return series == null ? Double.NaN : series.last();
    }

    private static @org.jspecify.annotations.Nullable Series series(Observations seen, Part part, String name) {
        return seen
                .all(
                        Groups.PARTITION,
                        name,
                        series -> series.metric().tags().equals(part.tags().tags()))
                .stream()
                .findFirst()
                .orElse(null);
    }

    private static Finding markers(Observations seen) {
        GroupPicture group = GroupPicture.of(seen);
        if (!group.isSeen()) {
            return Finding.unknown(RuleId.C3, "no broker told the group's lag", HOW);
        }
        List<String> names = group.parts.stream()
                .filter(part ->
                        part.lag() > 0 && part.done() == 0 && new PartOwner(seen, group, part).isLeftWithoutRecords())
                .map(Part::name)
                .toList();
        FindingBuilder finding = new FindingBuilder(RuleId.C3).threshold("an offset that waits is a record");
        if (names.isEmpty()) {
            return finding.observed("no partition has a lag of exactly 1 that stays")
                    .fine();
        }
        finding.observed("lag 1 in " + Figures.few(names));
        return finding.warn(
                Cause.TRANSACTION_MARKER,
                Confidence.MEDIUM,
                "The one offset left in " + Figures.few(names)
                        + " does not go and nothing is appended: it is most likely a transaction's marker, not a"
                        + " record.",
                "Do not scale or alert on a lag of 1; `laneway lag --probe` reads the offset and tells for sure.");
    }
}
