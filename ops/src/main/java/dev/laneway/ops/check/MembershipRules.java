package dev.laneway.ops.check;

import dev.laneway.ops.check.ClientPicture.Client;
import dev.laneway.ops.check.LanewayPicture.Member;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Whether the members stay in the group, and why not. */
final class MembershipRules {
    private static final String MEMBERS =
            "give the members' processes: --pid for one on this machine, --jmx or --prometheus for others";
    private static final double USUAL_POLL_INTERVAL = 300_000;
    private static final double USUAL_SESSION_TIMEOUT = 45_000;
    /** Of all looks at the group so many may find it without a stable state. */
    private static final double MOST_UNSTABLE = 0.25;

    private static final int LEAST_LOOKS = 4;
    private static final int STORM = 2;
    /** So many rebalances over half of the time are a storm, though it never stops between them. */
    private static final int LONG_STORM = 3;

    /** One member that joins or leaves makes two rebalances of a cooperative group, and some more of Kafka Streams. */
    private static final long SETTLING_MILLIS = 20_000;

    private static final long START_MILLIS = 5_000;
    private static final long MINUTE_MILLIS = 60_000;
    private static final double LATE_ANSWER_MILLIS = 500;
    private static final String ADMIN = "admin";

    private MembershipRules() {}

    static List<Rule> all() {
        return List.of(
                Rule.of(RuleId.B1, (seen, _) -> brokers(seen)),
                Rule.of(RuleId.S2, MembershipRules::rebalances),
                Rule.of(RuleId.S3, (seen, _) -> states(seen)),
                Rule.of(RuleId.P1, MembershipRules::polls),
                Rule.of(RuleId.P2, (seen, _) -> heartbeats(seen)));
    }

    private static Finding brokers(Observations seen) {
        FindingBuilder finding =
                new FindingBuilder(RuleId.B1).threshold("brokers answer, and clients have connections");
        List<String> silent = new ArrayList<>();
        for (Observations.Text text : seen.texts(Groups.SOURCE, "unreachable")) {
            if (text.source().equals(ADMIN) && !text.last().isEmpty()) {
                silent.add(text.last());
                finding.evidence(text.last());
            }
        }
        boolean isAsked = seen.texts(Groups.SOURCE, "unreachable").stream()
                .anyMatch(text -> text.source().equals(ADMIN));
        ClientPicture clients = ClientPicture.of(seen);
        List<Client> alone = clients.clients.stream()
                .filter(client ->
                        client.max(ClientPicture.CONSUMER, "connection-count").orElse(1) == 0)
                .toList();
        alone.forEach(client -> finding.evidence(client + " has no connection"));
        boolean allAlone = clients.isSeen() && alone.size() == clients.clients.size();
        if (!silent.isEmpty() || allAlone) {
            return finding.observed(silent.isEmpty() ? "no consumer has a connection" : "no broker answers")
                    .fail(
                            Cause.BROKER_AWAY,
                            allAlone && !silent.isEmpty() ? Confidence.HIGH : Confidence.MEDIUM,
                            silent.isEmpty()
                                    ? "None of the consumers has a connection to a broker."
                                    : "No broker answers: " + silent.getFirst() + ".",
                            "Check the address, the network and the brokers themselves; the group goes on by itself"
                                    + " once they answer.");
        }
        if (!isAsked && !clients.isSeen()) {
            return Finding.unknown(RuleId.B1, "no broker was asked", "give --bootstrap and --group");
        }
        return finding.observed(isAsked ? "the brokers answer" : "the consumers have connections")
                .fine();
    }

    private static Finding rebalances(Observations seen, Thresholds limits) {
        GroupPicture group = GroupPicture.of(seen);
        ClientPicture clients = ClientPicture.of(seen);
        List<Member> laneways = LanewayPicture.of(seen);
        if (!group.isSeen() && !clients.isSeen() && laneways.isEmpty()) {
            return Finding.unknown(RuleId.S2, "neither a broker nor a member told of rebalances", MEMBERS);
        }
        FindingBuilder finding =
                new FindingBuilder(RuleId.S2).threshold("no rebalance while it is watched, and a stable group");
        double rebalances = 0;
        boolean isStorm = false;
        for (Client client : clients.clients) {
            double of = client.growth(ClientPicture.COORDINATOR, "rebalance-total");
            rebalances = Math.max(rebalances, of);
            isStorm |= client.one(ClientPicture.COORDINATOR, "rebalance-total")
                    .filter(MembershipRules::isStorm)
                    .isPresent();
            if (of > 0) {
                finding.evidence(client + ": " + Figures.number(of) + " rebalances while it was watched, last one "
                        + Figures.time(client.last(ClientPicture.COORDINATOR, "last-rebalance-seconds-ago")
                                .orElse(0))
                        + " ago");
            }
        }
        for (Member member : laneways) {
            long ofMinute = rebalancesOfMinute(member);
            if (ofMinute >= limits.of(Threshold.REBALANCES)) {
                return finding.observed(ofMinute + " rebalances of " + member.name() + " within a minute")
                        .evidence(member.name() + ": took part in " + ofMinute + " rebalances within a minute")
                        .fail(
                                Cause.REBALANCE_STORM,
                                Confidence.HIGH,
                                member.name() + " took part in " + ofMinute + " rebalances within a minute.",
                                "Find members that come and go: look at their logs for restarts, and for handlers that"
                                        + " exceed limits; a rolling start ends by itself.");
            }
        }
        int looks = group.states().size();
        long unstable = group.unstableLooks();
        Set<String> members = group.allMembers();
        boolean comeAndGo = members.size() > Math.max(1, group.members()) * 2;
        if (comeAndGo) {
            finding.evidence(members.size() + " different member ids for " + group.members() + " members");
        }
        finding.observed(Figures.number(rebalances) + " rebalances in " + Figures.time(seen.seconds())
                + ", unstable in " + unstable + " of " + looks + " looks");
        // One long rebalance that has ended is none that comes again.
        boolean isOften = looks >= LEAST_LOOKS
                && unstable > MOST_UNSTABLE * looks
                && (group.isUnstable() || group.timesSettled() > 1);
        if (isStorm || isOften || comeAndGo) {
            return finding.fail(
                    Cause.REBALANCE_STORM,
                    isStorm ? Confidence.HIGH : Confidence.MEDIUM,
                    "The group rebalances again and again: while it does, nobody reads, and what is not committed is"
                            + " handled again.",
                    "Look which member comes and goes (deployments, evictions, crashes, poll interval, session"
                            + " timeout), and keep it in the group.");
        }
        if (rebalances > 0) {
            return finding.warn(
                    null,
                    Confidence.LOW,
                    "The group rebalanced while it was watched: rates of this time mean little.",
                    "Check again once the group has been stable for a minute.");
        }
        return finding.fine();
    }

    /** Whether the group settles and rebalances again, or does not settle. */
    private static boolean isStorm(Series rebalances) {
        int times = 0;
        long first = 0;
        long latest = 0;
        for (int i = 1; i < rebalances.points().size(); i++) {
            Series.Point point = rebalances.points().get(i);
            if (point.value() > rebalances.points().get(i - 1).value()) {
                times += times == 0 || point.atMillis() - latest > SETTLING_MILLIS ? 1 : 0;
                first = first == 0 ? point.atMillis() : first;
                latest = point.atMillis();
            }
        }
        boolean isLong = (latest - first) / 1e3 > rebalances.seconds() / 2;
        return times >= STORM || (isLong && rebalances.growth() >= LONG_STORM);
    }

    /**
     * In how many looks of the latest minute a Laneway had rebalanced: each member of a process tells of the same one.
     * Not those of the first seconds of the watch, in which members of a start join one after the other.
     */
    private static long rebalancesOfMinute(Member member) {
        List<Series.Point> points =
                member.one("rebalances-total").map(Series::points).orElse(List.of());
        long count = 0;
        for (int i = 1; i < points.size(); i++) {
            Series.Point point = points.get(i);
            boolean isLate = point.atMillis() - points.getFirst().atMillis() > START_MILLIS;
            boolean isOfMinute = points.getLast().atMillis() - point.atMillis() <= MINUTE_MILLIS;
            boolean hasGrown = point.value() > points.get(i - 1).value();
            count += isLate && isOfMinute && hasGrown ? 1 : 0;
        }
        return count;
    }

    private static Finding states(Observations seen) {
        GroupPicture group = GroupPicture.of(seen);
        List<String> problems = seen.texts(Groups.GROUP, "problem").stream()
                .map(Observations.Text::last)
                .toList();
        FindingBuilder finding =
                new FindingBuilder(RuleId.S3).threshold("the group is stable and each application runs");
        List<Observations.Text> health = seen.texts(Groups.LANEWAY, "health");
        List<Series> streams = seen.all("stream-metrics", "client-state");
        if (!group.isSeen() && health.isEmpty() && streams.isEmpty()) {
            return Finding.unknown(RuleId.S3, "neither a broker nor a member told its state", MEMBERS);
        }
        if (!problems.isEmpty()) {
            finding.evidence(Figures.few(problems));
        }
        List<String> wrong = new ArrayList<>();
        for (Observations.Text text : health) {
            if (text.last().equals("DOWN")) {
                wrong.add(text.metric().tag("client-id") + " is DOWN: " + condition(seen, text));
            }
        }
        for (Series state : streams) {
            if (state.last() != StreamsStates.RUNNING) {
                wrong.add(state.source() + " is " + StreamsStates.name(state.last()));
            }
        }
        if (!wrong.isEmpty()) {
            return finding.observed(Figures.few(wrong))
                    .fail(
                            null,
                            Confidence.HIGH,
                            Figures.few(wrong) + ".",
                            "Read the log of that process from the moment on at which it left RUNNING.");
        }
        return finding.observed("group "
                        + group.states().stream().reduce((_, last) -> last).orElse("not asked") + ", "
                        + Figures.plural(group.members(), "member", "members"))
                .fine();
    }

    private static String condition(Observations seen, Observations.Text health) {
        return seen.texts(Groups.LANEWAY, "reasons").stream()
                .filter(text -> text.source().equals(health.source())
                        && text.metric().tags().equals(health.metric().tags()))
                .map(Observations.Text::last)
                .findFirst()
                .orElse("it says not why");
    }

    private static Finding polls(Observations seen, Thresholds thresholds) {
        ClientPicture clients = ClientPicture.of(seen);
        if (!clients.isSeen()) {
            return Finding.unknown(RuleId.P1, "no member told how often it polls", MEMBERS);
        }
        Set<String> present = presentClients(seen);
        double share = thresholds.of(Threshold.POLL_INTERVAL_SHARE);
        FindingBuilder finding = new FindingBuilder(RuleId.P1)
                .threshold("less than " + Figures.percent(share) + " of max.poll.interval.ms between two polls");
        double worst = 0;
        Client slowest = clients.clients.getFirst();
        for (Client client : clients.clients) {
            double between = between(client);
            double of = between / interval(client);
            finding.evidence(client + ": " + Figures.time(between / 1e3) + " between two polls, max.poll.interval.ms "
                    + (client.knows("max.poll.interval.ms") ? "" : "not known, taken as the default ")
                    + Figures.number(interval(client)));
            boolean isOut = between > heartbeat(client)
                    && !answersAreLate(client)
                    && isAlive(seen, client)
                    && isPutOut(seen, client, present);
            if (isOut) {
                return finding.observed(
                                client + " polls every " + Figures.time(between / 1e3) + " and is out of the group")
                        .fail(
                                Cause.POLL_INTERVAL_EXCEEDED,
                                client.knows("max.poll.interval.ms") ? Confidence.HIGH : Confidence.MEDIUM,
                                client + " takes " + Figures.time(between / 1e3)
                                        + " between two polls and is put out of the group for it.",
                                "Lower max.poll.records, or raise max.poll.interval.ms above the time that a poll's"
                                        + " records take; or handle records beside the poll loop, as Laneway does.");
            }
            if (of > worst) {
                worst = of;
                slowest = client;
            }
        }
        finding.observed(Figures.percent(worst) + " of max.poll.interval.ms at most");
        if (worst > share) {
            boolean isOver = worst > 1;
            String diagnosis = slowest + " takes " + Figures.time(between(slowest) / 1e3) + " between two polls, "
                    + Figures.percent(worst) + " of max.poll.interval.ms.";
            String remedy = "Lower max.poll.records, or raise max.poll.interval.ms above the time that a poll's records"
                    + " take; or handle records beside the poll loop, as Laneway does.";
            Confidence sure = slowest.knows("max.poll.interval.ms") ? Confidence.HIGH : Confidence.LOW;
            return isOver
                    ? finding.fail(Cause.POLL_INTERVAL_EXCEEDED, sure, diagnosis, remedy)
                    : finding.warn(Cause.POLL_INTERVAL_EXCEEDED, sure, diagnosis, remedy);
        }
        return finding.fine();
    }

    /** The longest time between two polls, in milliseconds; or since the last one. */
    private static double between(Client client) {
        return Math.max(
                client.max(ClientPicture.CONSUMER, "time-between-poll-max").orElse(0),
                1e3
                        * client.max(ClientPicture.CONSUMER, "last-poll-seconds-ago")
                                .orElse(0));
    }

    private static double interval(Client client) {
        return client.millis("max.poll.interval.ms", USUAL_POLL_INTERVAL);
    }

    private static double session(Client client) {
        return client.millis("session.timeout.ms", USUAL_SESSION_TIMEOUT);
    }

    /** Kafka's interval of heartbeats, in milliseconds: a poll that takes less puts nobody out. */
    private static double heartbeat(Client client) {
        return client.millis("heartbeat.interval.ms", 3_000);
    }

    /** How long the coordinator took for a heartbeat at most, in milliseconds. */
    private static double heartbeatMillis(Client client) {
        return client.max(ClientPicture.COORDINATOR, "heartbeat-response-time-max")
                .orElse(0);
    }

    /** Whether heartbeats are slow, by the network or the coordinator: a healthy one takes some milliseconds. */
    private static boolean answersAreLate(Client client) {
        return heartbeatMillis(client) > LATE_ANSWER_MILLIS;
    }

    /** The clients that the coordinator knows at the end of the time. */
    private static Set<String> presentClients(Observations seen) {
        Set<String> present = new HashSet<>();
        long last = seen.all(Groups.MEMBER, "assigned-partitions").stream()
                .mapToLong(series -> series.points().getLast().atMillis())
                .max()
                .orElse(0);
        seen.all(Groups.MEMBER, "assigned-partitions").stream()
                .filter(series -> series.points().getLast().atMillis() == last)
                .forEach(series -> present.add(series.metric().tag("client-id")));
        return present;
    }

    /** Whether the client was a member at some time and is none now, or came back under another name. */
    private static boolean isPutOut(Observations seen, Client client, Set<String> present) {
        return seen.has(Groups.GROUP) && (!present.contains(client.id()) || cameBack(seen, client));
    }

    /**
     * Whether one member of this client went before another one came. A process that takes the place of one that was
     * killed comes first: its predecessor, which may have had the same client id, is a member until its session ends.
     */
    private static boolean cameBack(Observations seen, Client client) {
        long since = polls(client).getFirst().atMillis();
        List<Series> members = seen.all(
                Groups.MEMBER,
                "assigned-partitions",
                series -> series.metric().tag("client-id").equals(client.id()));
        return members.stream()
                .mapToLong(before -> before.points().getLast().atMillis())
                .filter(gone -> gone >= since)
                .anyMatch(gone -> members.stream()
                        .anyMatch(after -> after.points().getFirst().atMillis() > gone));
    }

    /** Whether the client still told of itself when the group was last looked at: else its process has ended. */
    static boolean isAlive(Observations seen, Client client) {
        long last = polls(client).getLast().atMillis();
        return seen.all(Groups.GROUP, "members").stream()
                .allMatch(looks -> looks.points().stream()
                                .filter(look -> look.atMillis() > last)
                                .count()
                        <= 1);
    }

    private static List<Series.Point> polls(Client client) {
        return client.one(ClientPicture.CONSUMER, "last-poll-seconds-ago")
                .orElseThrow()
                .points();
    }

    private static Finding heartbeats(Observations seen) {
        GroupPicture group = GroupPicture.of(seen);
        ClientPicture clients = ClientPicture.of(seen);
        if (!clients.isSeen()) {
            return Finding.unknown(RuleId.P2, "no member told of its heartbeats", MEMBERS);
        }
        FindingBuilder finding =
                new FindingBuilder(RuleId.P2).threshold("heartbeats in less than a third of session.timeout.ms");
        Set<String> present = presentClients(seen);
        double worst = 0;
        Client slowest = clients.clients.getFirst();
        for (Client client : clients.clients) {
            double ago = client.max(ClientPicture.COORDINATOR, "last-heartbeat-seconds-ago")
                    .orElse(0);
            double of = 1e3 * ago / session(client);
            finding.evidence(client + ": " + Figures.time(ago) + " between two heartbeats");
            if (of > worst) {
                worst = of;
                slowest = client;
            }
            if (isPutOut(seen, client, present) && (answersAreLate(client) || of > 1)) {
                return finding.observed(client + " was put out of the group")
                        .fail(
                                Cause.SESSION_TIMEOUT,
                                of > 1 ? Confidence.HIGH : Confidence.MEDIUM,
                                client + " was put out of the group, and its heartbeats take as long as "
                                        + Figures.number(heartbeatMillis(client))
                                        + " ms: they come later than session.timeout.ms allows.",
                                "Set session.timeout.ms to 45000, and look for what stops the whole process: garbage"
                                        + " collection, processor limits, a frozen container, the network.");
            }
        }
        String gone = staticGone(seen, group, clients);
        if (!gone.isEmpty()) {
            return finding.observed("static member " + gone + " has partitions and commits nothing")
                    .fail(
                            Cause.STATIC_MEMBER_GONE,
                            Confidence.MEDIUM,
                            "Static member " + gone
                                    + " has partitions in which nothing moves, and none of the processes"
                                    + " looked at is that member: it is gone, and nobody takes its partitions until its"
                                    + " session ends.",
                            "Start it again under the same group.instance.id, or remove it from the group by the Admin"
                                    + " API: removeMembersFromConsumerGroup.");
        }
        finding.observed(Figures.percent(worst) + " of session.timeout.ms at most");
        return worst > 1.0 / 3
                ? finding.warn(
                        null,
                        Confidence.LOW,
                        slowest + " had no heartbeat for " + Figures.percent(worst) + " of its session timeout.",
                        "Set session.timeout.ms to 45000, and look for what stops the whole process.")
                : finding.fine();
    }

    /** The id of a static member whose partitions stand and which is none of the processes that are looked at. */
    private static String staticGone(Observations seen, GroupPicture group, ClientPicture clients) {
        Set<String> alive = new HashSet<>();
        clients.clients.forEach(client -> alive.add(client.id()));
        for (Series member : seen.all(Groups.MEMBER, "assigned-partitions")) {
            String instance = member.metric().tag("instance-id");
            String id = member.metric().tag("member-id");
            List<GroupPicture.Part> own = group.parts.stream()
                    .filter(part -> part.member().equals(id))
                    .toList();
            boolean stands = own.stream().anyMatch(GroupPicture.Part::stands)
                    && own.stream().allMatch(part -> part.done() == 0);
            if (!instance.isEmpty() && stands && !alive.contains(member.metric().tag("client-id"))) {
                return instance;
            }
        }
        return "";
    }
}
