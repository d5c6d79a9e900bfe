package dev.laneway.ops.check;

import dev.laneway.ops.LagStatus;
import dev.laneway.ops.check.ClientPicture.Client;
import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Whether the group makes progress in each partition, and if not, which kind of hold-up it is. */
final class ProgressRules {
    /** A consumer commits every 5 s by default; and Kafka Streams every 30 s. */
    private static final double SURE_SECONDS = 15;

    private static final double SURE_SECONDS_STREAMS = 65;

    private static final double STARVED_IDLE = 0.9;

    private static final String STREAMS = "stream-thread-metrics";
    private static final String HOW =
            "give --bootstrap and --group, and the right DESCRIBE on the group and its topics";

    private ProgressRules() {}

    static List<Rule> all() {
        return List.of(
                Rule.of(RuleId.S1, (seen, _) -> progress(seen)),
                Rule.of(RuleId.C1, (seen, _) -> growth(seen)),
                Rule.of(RuleId.C2, ProgressRules::retention),
                Rule.of(RuleId.C3, (seen, _) -> markers(seen)));
    }

    private static Finding progress(Observations seen) {
        GroupPicture group = GroupPicture.of(seen);
        if (!group.hasLag()) {
            return noLag(seen, RuleId.S1, "no broker told what the group has committed");
        }
        FindingBuilder finding =
                new FindingBuilder(RuleId.S1).threshold("each partition advances, or nothing waits in it");
        Set<Map.Entry<String, String>> working = working(seen);
        List<Part> stand = group.parts.stream()
                .filter(part -> part.stands() && !isMarker(part) && !isAtWork(part, working))
                .toList();
        if (stand.isEmpty()) {
            return finding.observed(Figures.plural(group.parts.size(), "partition advances", "partitions advance")
                            + " or wait for records")
                    .fine();
        }
        double waiting = stand.stream().mapToDouble(Part::lag).sum();
        finding.blame(stand.getFirst().name());
        finding.observed(Figures.plural(stand.size(), "partition stands", "partitions stand") + ", "
                + Figures.plural(waiting, "record waits", "records wait"));
        stand.stream()
                .limit(5)
                .forEach(part -> finding.evidence(part.name() + ": committed offset stands, lag "
                        + Figures.number(part.lag())
                        + (part.doneBeyond() > 0 ? ", " + Figures.number(part.doneBeyond()) + " done beyond" : "")));
        if (group.members() == 0) {
            return finding.fail(
                    Cause.NO_MEMBERS,
                    Confidence.HIGH,
                    "the group has no member, and " + Figures.number(waiting) + " records wait.",
                    "Start the application; if it runs, look in its log why it does not join the group.");
        }
        double sure = seen.has(STREAMS) ? SURE_SECONDS_STREAMS : SURE_SECONDS;
        TurnTaking turns = new TurnTaking(seen, group);
        if (stand.stream().allMatch(turns::mayWait)) {
            return Finding.unknown(
                    RuleId.S1,
                    Figures.plural(stand.size(), "partition stands", "partitions stand")
                            + " while the same member is busy with its others, and may only wait for its turn",
                    "watch longer, such as --for 120s");
        }
        if (group.seconds() < sure) {
            return Finding.unknown(
                    RuleId.S1,
                    Figures.plural(stand.size(), "partition has", "partitions have") + " not advanced in "
                            + Figures.time(group.seconds()) + ", which may be the time between two commits",
                    "watch for at least " + Figures.time(sure) + ": --for " + (long) sure + "s");
        }
        return heldUp(seen, group, stand, finding);
    }

    private static Finding noLag(Observations seen, RuleId rule, String ofBrokers) {
        return LanewayPicture.of(seen).isEmpty()
                ? Finding.unknown(rule, ofBrokers, HOW)
                : Finding.unknown(
                        rule,
                        "it has no partition whose lag is known",
                        "wait until it has; of more members than partitions some stay without");
    }

    /** Laneways of which a handler was seen to run in the latest seconds: what they hold is at work, or stuck (L3). */
    private static Set<Map.Entry<String, String>> working(Observations seen) {
        return LanewayPicture.of(seen).stream()
                .filter(member -> member.one("running-workers")
                        .map(running ->
                                running.latest(LanewayPicture.NOW_SECONDS, 2).max() > 0)
                        .orElse(false))
                .map(member -> Map.entry(member.source(), member.tags().getOrDefault("client-id", "")))
                .collect(Collectors.toSet());
    }

    private static boolean isAtWork(Part part, Set<Map.Entry<String, String>> working) {
        return part.isTold()
                && part.held()
                && working.contains(Map.entry(part.lags().source(), part.tags().tag("client-id")));
    }

    /** Who stands: all that a member has, or a part of it? */
    private static Finding heldUp(Observations seen, GroupPicture group, List<Part> stand, FindingBuilder finding) {
        Map<String, List<Part>> byMember =
                stand.stream().collect(Collectors.groupingBy(Part::member, TreeMap::new, Collectors.toList()));
        List<String> whole = new ArrayList<>();
        byMember.forEach((member, of) -> {
            boolean isWhole = group.parts.stream()
                    .filter(part -> part.member().equals(member))
                    .allMatch(part -> part.stands() || part.lag() == 0);
            if (isWhole && !member.isEmpty()) {
                whole.add(member);
            }
        });
        Part first = stand.getFirst();
        List<Part> keyed = stand.stream().filter(part -> part.doneBeyond() > 0).toList();
        if (!keyed.isEmpty()) {
            Part part = keyed.getFirst();
            return finding.fail(
                    Cause.STUCK_KEY,
                    Confidence.HIGH,
                    part.name() + " is held up by one key: its commit stands while " + Figures.number(part.doneBeyond())
                            + " records beyond it are done.",
                    "Look at the oldest unfinished record in the application's health and log: mend its handler, or let"
                            + " the failure policy skip it or send it to a dead-letter topic.");
        }
        List<Client> polling = polls(seen, whole);
        List<Client> starved =
                polling.stream().filter(ProgressRules::takesNothing).toList();
        if (!starved.isEmpty() && starved.size() == polling.size()) {
            starved.forEach(client -> finding.evidence(client + ": waits in poll "
                    + Figures.percent(client.idle().orElse(1)) + " of the time, and no record comes"));
            return finding.fail(
                    Cause.PAUSED,
                    Confidence.MEDIUM,
                    starved.getFirst() + " polls and is given none of the records that wait in " + first.name() + ".",
                    "Look whether its code has paused the partition and does not resume it; else whether a transaction"
                            + " was left open, which hides what comes after it from isolation.level=read_committed"
                            + " (kafka-transactions.sh find-hanging).");
        }
        if (whole.isEmpty() && first.isTold() && !first.held()) {
            return finding.fail(
                    Cause.UNREAD,
                    Confidence.MEDIUM,
                    "Nothing of " + first.name() + " is held while its member goes on with others, though "
                            + Figures.number(first.lag()) + " records wait.",
                    "Look at the broker that leads it, and whether its stream was cancelled or a transaction was left"
                            + " open (kafka-transactions.sh find-hanging).");
        }
        if (whole.isEmpty() || !polling.isEmpty()) {
            return finding.fail(
                    Cause.POISON_RECORD,
                    whole.isEmpty() ? Confidence.HIGH : Confidence.MEDIUM,
                    first.name()
                            + " stands while its member goes on: the record at the committed offset fails again and"
                            + " again, or is retried without end.",
                    "Read the record at the committed offset (laneway lag names it); mend the handler, or skip the"
                            + " record or send it to a dead-letter topic.");
        }
        return finding.fail(
                Cause.STUCK_MEMBER,
                Confidence.MEDIUM,
                Figures.plural(
                                whole.size(),
                                "member holds its partitions and commits",
                                "members hold their partitions and commit")
                        + " nothing: " + Figures.few(whole) + ".",
                "Take a thread dump of that process (jcmd PID Thread.print), mend what the handler waits for, and"
                        + " restart it.");
    }

    /** Those of the members that poll, as their own metrics tell. A client's id begins the member's. */
    private static List<Client> polls(Observations seen, List<String> members) {
        List<Client> polling = new ArrayList<>();
        for (Client client : ClientPicture.of(seen).clients) {
            OptionalDouble ago = client.max(ClientPicture.CONSUMER, "last-poll-seconds-ago");
            boolean isOne = members.stream().anyMatch(member -> client.isMember(member));
            if (isOne && ago.isPresent() && ago.getAsDouble() >= 0 && ago.getAsDouble() < 5) {
                polling.add(client);
            }
        }
        return polling;
    }

    /** It waits in poll, and nothing comes; a record that fails and is sought again comes again and again. */
    private static boolean takesNothing(Client client) {
        Optional<Series> consumed = client.one(ClientPicture.FETCHER, "records-consumed-total");
        return consumed.isPresent()
                && consumed.get().growth() == 0
                && client.idle().orElse(0) > STARVED_IDLE
                && client.last(ClientPicture.FETCHER, "fetch-throttle-time-avg").orElse(0) == 0;
    }

    private static Finding growth(Observations seen) {
        GroupPicture group = GroupPicture.of(seen);
        if (!group.hasLag()) {
            return noLag(seen, RuleId.C1, "no broker told the group's lag");
        }
        LagTrend trend = group.trend();
        if (trend.direction() == LagTrend.Direction.UNKNOWN) {
            return Finding.unknown(RuleId.C1, "there are too few samples for a trend", "watch longer: --for 30s");
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

    private static boolean isMarker(Part part) {
        return part.lag() == 1 && part.appended() == 0 && part.status() != LagStatus.STOP && !part.held();
    }

    private static Finding markers(Observations seen) {
        GroupPicture group = GroupPicture.of(seen);
        if (!group.isSeen()) {
            return Finding.unknown(RuleId.C3, "no broker told the group's lag", HOW);
        }
        List<String> names = group.parts.stream()
                .filter(part -> isMarker(part) && part.done() == 0)
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
