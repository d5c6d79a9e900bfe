package dev.laneway.ops.check;

import dev.laneway.ops.check.ClientPicture.Client;
import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** S1: whether the group makes progress in each partition, and if not, which kind of hold-up it is. */
final class ProgressRules {
    /** A consumer commits every 5 s by default; and Kafka Streams every 30 s. */
    private static final double SURE_SECONDS = 15;

    private static final double SURE_SECONDS_STREAMS = 65;

    private static final double STARVED_IDLE = 0.9;

    /** A member that was given no more than so many times what has come was given no record again and again. */
    private static final double GIVEN_AGAIN = 1.5;

    private static final String STREAMS = "stream-thread-metrics";

    private ProgressRules() {}

    static List<Rule> all() {
        return List.of(Rule.of(RuleId.S1, (seen, _) -> progress(seen)));
    }

    private static Finding progress(Observations seen) {
        GroupPicture group = GroupPicture.of(seen);
        if (!group.hasLag()) {
            return BacklogRules.noLag(seen, RuleId.S1, "no broker told what the group has committed");
        }
        FindingBuilder finding =
                new FindingBuilder(RuleId.S1).threshold("each partition advances, or nothing waits in it");
        Set<Map.Entry<String, String>> working = working(seen);
        List<Part> stand = group.parts.stream()
                .filter(part -> part.stands()
                        && !new PartOwner(seen, group, part).isLeftWithoutRecords()
                        && !isAtWork(part, working))
                .toList();
        if (stand.isEmpty()) {
            return finding.observed(Figures.plural(group.parts.size(), "partition advances", "partitions advance")
                            + " or wait for records")
                    .fine();
        }
        if (group.busyMembers() > 0 && stand.stream().allMatch(part -> isLeft(part))) {
            Part part = stand.getFirst();
            return finding.observed(Figures.number(part.lag()) + " records are left in " + part.name())
                    .warn(
                            null,
                            Confidence.MEDIUM,
                            "No member is assigned " + part.name() + ", where " + Figures.number(part.lag())
                                    + " records are left and none comes any more.",
                            "If the group is to read topic " + part.topic() + " no more, delete its offsets there"
                                    + " (kafka-consumer-groups.sh --delete-offsets); else subscribe to it again.");
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
        if (group.members() == 0 && !isOutside(seen)) {
            return finding.fail(
                    Cause.NO_MEMBERS,
                    Confidence.HIGH,
                    "the group has no member, and " + Figures.number(waiting) + " records wait.",
                    "Start the application; if it runs, look in its log why it does not join the group.");
        }
        if (group.members() == 0) {
            return finding.fail(
                    null,
                    Confidence.MEDIUM,
                    Figures.number(waiting) + " records wait, and the process looked at is no member of the group.",
                    "See what the other rules say of that process; else look in its log why it left the group.");
        }
        double sure = seen.has(STREAMS) ? SURE_SECONDS_STREAMS : SURE_SECONDS;
        if (stand.stream().allMatch(part -> isLeft(part) || new PartOwner(seen, group, part).mayWaitForTurn())) {
            if (!group.trend().grows()) {
                return finding.observed(Figures.plural(stand.size(), "partition waits", "partitions wait")
                                + " for its turn in a member that is busy with others; the lag does not grow")
                        .fine();
            }
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
        return heldUp(
                seen,
                group,
                stand.stream()
                        .filter(part -> !isLeft(part) || group.busyMembers() == 0)
                        .toList(),
                finding);
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

    /** Whether nobody has the partition, and nothing comes there any more: of a topic that the group once read. */
    private static boolean isLeft(Part part) {
        return part.member().isEmpty() && part.appended() == 0 && !part.isTold();
    }

    /** Whether a process that was looked at reads without the group, or was put out of it: then P1 says why. */
    private static boolean isOutside(Observations seen) {
        return ClientPicture.of(seen).clients.stream()
                .filter(client -> MembershipRules.isAlive(seen, client))
                .anyMatch(client -> !client.isPolling()
                        || client.max(ClientPicture.CONSUMER, "time-between-poll-max")
                                        .orElse(0)
                                > client.millis("max.poll.interval.ms", Double.MAX_VALUE)
                        || client.last(ClientPicture.COORDINATOR, "assigned-partitions")
                                        .orElse(0)
                                > 0);
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
        List<Part> nobodys = stand.stream()
                .filter(part -> part.member().isEmpty() && part.appended() > 0)
                .toList();
        if (!nobodys.isEmpty() && group.busyMembers() > 0) {
            Part part = nobodys.getFirst();
            return finding.fail(
                    Cause.UNREAD,
                    Confidence.MEDIUM,
                    "No member is assigned " + part.name() + ", where " + Figures.number(part.lag())
                            + " records wait, while the group reads others.",
                    "Subscribe to topic " + part.topic() + " again; if the group is to read it no more, delete its"
                            + " offsets there (kafka-consumer-groups.sh --delete-offsets).");
        }
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
        List<Part> given = stand.stream()
                .filter(part -> new PartOwner(seen, group, part).isGivenNothing())
                .toList();
        if (!given.isEmpty()) {
            Part part = given.getFirst();
            return finding.evidence(part.name() + ": its member has read all that it is given there")
                    .fail(
                            Cause.PAUSED,
                            Confidence.MEDIUM,
                            "The member of " + part.name() + " polls and is given none of the "
                                    + Figures.number(part.lag()) + " records that wait there.",
                            "Look whether a transaction was left open, which hides what comes after it from"
                                    + " isolation.level=read_committed (kafka-transactions.sh find-hanging); else"
                                    + " whether its code has paused the partition and does not resume it.");
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
        Optional<Finding> rare = whole.isEmpty() ? Optional.empty() : rareCommits(seen, group, whole, polling);
        if (rare.isPresent()) {
            return rare.get();
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

    /** A member that takes what comes and commits seldom or never, or whose batches take longer than the watch. */
    private static Optional<Finding> rareCommits(
            Observations seen, GroupPicture group, List<String> whole, List<Client> polling) {
        double appended = group.parts.stream()
                .filter(part -> whole.contains(part.member()))
                .mapToDouble(Part::appended)
                .sum();
        double given = polling.stream().mapToDouble(Client::given).sum();
        boolean hasDone = whole.stream().anyMatch(member -> group.done(member) > 0);
        if (!hasDone && appended > 0 && given >= appended / GIVEN_AGAIN && given <= appended * GIVEN_AGAIN) {
            return Optional.of(Finding.unknown(
                    RuleId.S1,
                    polling.getFirst() + " reads what comes and has committed nothing in "
                            + Figures.time(group.seconds()),
                    "watch for longer than the time between two of its commits; if it never commits, a restart reads"
                            + " all again: look at its enable.auto.commit and its calls of commitSync"));
        }
        double longest = 0;
        for (Client client : ClientPicture.of(seen).clients) {
            double between =
                    client.max(ClientPicture.CONSUMER, "time-between-poll-max").orElse(0) / 1e3;
            double ago =
                    client.max(ClientPicture.CONSUMER, "last-poll-seconds-ago").orElse(Double.MAX_VALUE);
            if (whole.stream().anyMatch(client::isMember) && !client.isPolling() && ago <= between) {
                longest = Math.max(longest, between);
            }
        }
        return longest == 0
                ? Optional.empty()
                : Optional.of(Finding.unknown(
                        RuleId.S1,
                        "a poll's records took a member up to " + Figures.time(longest)
                                + " before, and it commits after them",
                        "watch for twice that: --for " + (long) Math.ceil(2 * longest) + "s"));
    }

    /**
     * Those of the members that poll, as their own metrics tell. Two processes may have the same client id, which is
     * the default: then both must poll.
     */
    private static List<Client> polls(Observations seen, List<String> members) {
        List<Client> all = ClientPicture.of(seen).clients;
        return all.stream()
                .filter(client -> members.stream().anyMatch(client::isMember))
                .filter(client -> all.stream()
                        .filter(other -> other.id().equals(client.id()))
                        .allMatch(Client::isPolling))
                .toList();
    }

    /** It waits in poll, and nothing comes; a record that fails and is sought again comes again and again. */
    private static boolean takesNothing(Client client) {
        Optional<Series> consumed = client.one(ClientPicture.FETCHER, "records-consumed-total");
        return consumed.isPresent()
                && consumed.get().growth() == 0
                && client.idle().orElse(0) > STARVED_IDLE
                && client.last(ClientPicture.FETCHER, "fetch-throttle-time-avg").orElse(0) == 0;
    }
}
