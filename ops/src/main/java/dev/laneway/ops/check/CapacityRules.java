package dev.laneway.ops.check;

import dev.laneway.ops.check.ClientPicture.Client;
import dev.laneway.ops.check.GroupPicture.Part;
import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.List;
import java.util.OptionalDouble;

/** Whether the group's own means suffice: processors, threads, partitions; and whether fewer would. */
final class CapacityRules {
    private static final String MEMBERS =
            "give the members' processes: --pid for one on this machine, --jmx or --prometheus for others";
    /** A consumer that waits less than this for records has as much to do as its thread can. */
    private static final double SATURATED_IDLE = 0.15;

    private static final double LITTLE_CPU = 0.6;

    private CapacityRules() {}

    static List<Rule> all() {
        return List.of(
                Rule.of(RuleId.C6, CapacityRules::processors),
                Rule.of(RuleId.C7, CapacityRules::threads),
                Rule.of(RuleId.C9, CapacityRules::skew),
                Rule.of(RuleId.C12, KeyRule::judge),
                Rule.of(RuleId.W1, CapacityRules::waste));
    }

    private static Finding processors(Observations seen, Thresholds thresholds) {
        ClientPicture clients = ClientPicture.of(seen);
        double most = thresholds.of(Threshold.CPU_SHARE);
        FindingBuilder finding =
                new FindingBuilder(RuleId.C6).threshold("less than " + Figures.percent(most) + " of the processors");
        double worst = -1;
        String whose = "";
        for (String source : clients.sources()) {
            OptionalDouble share = clients.processorShare(source);
            share.ifPresent(of -> finding.evidence(source + ": " + Figures.percent(of) + " of "
                    + Figures.number(clients.cores(source).orElse(0)) + " processors"));
            if (share.orElse(-1) > worst) {
                worst = share.orElse(-1);
                whose = source;
            }
        }
        if (worst < 0) {
            return Finding.unknown(RuleId.C6, "no member told its processor time", MEMBERS);
        }
        double held = held(seen);
        if (held > 0) {
            finding.evidence(
                    "the container's processes were held back in " + Figures.percent(held) + " of the periods");
        }
        finding.observed(Figures.percent(worst) + " at most"
                + (held > 0 ? ", held back in " + Figures.percent(held) + " of the periods" : ""));
        if (worst <= most && held > thresholds.of(Threshold.CPU_HELD_SHARE)) {
            return finding.fail(
                    Cause.CPU,
                    Confidence.HIGH,
                    "The container's processor limit holds its processes back in " + Figures.percent(held)
                            + " of the scheduler's periods.",
                    "Raise the container's processor limit, or remove it and keep the request: a limit stops all"
                            + " threads at once, heartbeats too.");
        }
        return worst > most
                ? finding.fail(
                        Cause.CPU,
                        Confidence.HIGH,
                        whose + " uses " + Figures.percent(worst) + " of its processors.",
                        "Add instances (up to the number of partitions) or processors; profile first: most of the time"
                                + " often goes into reading and writing JSON.")
                : finding.fine();
    }

    /** The share of the scheduler's periods in which a cgroup had used up its time, of the worst. */
    private static double held(Observations seen) {
        double worst = 0;
        for (Series periods : seen.all(Groups.CGROUP, "cpu-periods-total")) {
            double throttled = seen.one(periods.source(), Metric.of(Groups.CGROUP, "cpu-throttled-total"))
                    .map(Series::growth)
                    .orElse(0.0);
            worst = Math.max(worst, periods.growth() > 0 ? throttled / periods.growth() : 0);
        }
        return worst;
    }

    private static Finding threads(Observations seen, Thresholds thresholds) {
        GroupPicture group = GroupPicture.of(seen);
        ClientPicture clients = ClientPicture.of(seen);
        if (!clients.isSeen()) {
            return Finding.unknown(RuleId.C7, "no member told how busy its threads are", MEMBERS);
        }
        FindingBuilder finding = new FindingBuilder(RuleId.C7)
                .threshold("threads have time to wait for records, or the processors are busy");
        int busy = 0;
        double partitions = 0;
        boolean processorsHaveRoom = held(seen) <= thresholds.of(Threshold.CPU_HELD_SHARE);
        for (Client client : clients.clients) {
            double idle = client.idle().orElse(1);
            double assigned = client.last(ClientPicture.COORDINATOR, "assigned-partitions")
                    .orElse(0);
            boolean isSaturated = idle < SATURATED_IDLE && assigned > 0;
            busy += isSaturated ? 1 : 0;
            partitions += assigned;
            processorsHaveRoom &= clients.processorShare(client.source()).orElse(0) < LITTLE_CPU;
            finding.evidence(client + ": waits for records " + Figures.percent(idle) + " of the time, "
                    + Figures.number(assigned) + " partitions");
        }
        finding.observed(busy + " of " + clients.clients.size() + " consumers have no time left");
        if (busy == 0 || busy * 2 < clients.clients.size() || !processorsHaveRoom) {
            return finding.fine();
        }
        double all = group.isSeen() ? group.parts.size() : partitions;
        int members = Math.max(group.members(), clients.clients.size());
        if (all <= members) {
            return finding.fail(
                    Cause.TOO_FEW_PARTITIONS,
                    Confidence.MEDIUM,
                    "Each of the " + Figures.plural(all, "partition has", "partitions have")
                            + " a consumer of its own, which has no time left, while the processors have room.",
                    "Handle records of one partition in parallel (Laneway does, in order by key), or add partitions;"
                            + " more instances get no partition.");
        }
        return finding.fail(
                Cause.TOO_FEW_THREADS,
                Confidence.MEDIUM,
                busy + " of " + clients.clients.size()
                        + " consumers have no time left, while the processors have room and " + Figures.number(all)
                        + " partitions could feed more threads.",
                "Start more consumer threads in each process (num.stream.threads of Kafka Streams), or handle records"
                        + " in parallel, before you add instances.");
    }

    private static Finding skew(Observations seen, Thresholds thresholds) {
        GroupPicture group = GroupPicture.of(seen);
        if (!group.hasLag()) {
            return Finding.unknown(RuleId.C9, "no broker told the partitions' loads", "give --bootstrap and --group");
        }
        double most = thresholds.of(Threshold.SKEW);
        FindingBuilder finding = new FindingBuilder(RuleId.C9)
                .threshold("no partition has more than " + Figures.number(most) + " times the mean load");
        if (Skew.top(group).isEmpty()) {
            return finding.observed(
                            group.parts.size() < 2 ? "one partition" : "nothing was appended while it was watched")
                    .fine();
        }
        Part top = Skew.top(group).get();
        double times = top.appended() / Skew.mean(group, top);
        Part behind = group.parts.getFirst();
        double lagShare = group.lag() == 0 ? 0 : behind.lag() / group.lag();
        finding.observed(top.name() + " has " + Figures.number(times) + " times the mean load")
                .evidence(
                        top.name() + ": " + Figures.percent(top.appended() / group.appended()) + " of what is appended")
                .evidence(behind.name() + ": " + Figures.percent(lagShare) + " of the lag");
        if (Skew.hot(group, thresholds).isEmpty()) {
            return finding.fine();
        }
        boolean holdsUp = Skew.holdsUp(group, top, thresholds) && !isShared(seen, thresholds);
        // Under Laneway what is done beyond the commit is of other keys than what is not.
        boolean isKey = top.doneBeyond() > top.lag() / 2;
        String diagnosis = top.name() + " gets " + Figures.percent(top.appended() / group.appended())
                + " of all records, " + Figures.number(times) + " times the mean"
                + (holdsUp ? ", and has " + Figures.percent(lagShare) + " of the lag." : ".");
        String remedy =
                "Choose keys that spread, or split the hot key; handle records of one partition in parallel by key"
                        + " (Laneway does). More instances cannot share one partition"
                        + (isKey ? "." : ", but assignment by load (laneway-assignors) takes others off its member.");
        Cause cause = isKey ? Cause.HOT_KEY : Cause.SKEW;
        return holdsUp
                ? finding.fail(cause, Confidence.HIGH, diagnosis, remedy)
                : finding.warn(cause, Confidence.MEDIUM, diagnosis, remedy);
    }

    /** Whether all workers of Laneways are busy: they take records of any partition, so that none lacks its own. */
    private static boolean isShared(Observations seen, Thresholds thresholds) {
        return LanewayPicture.of(seen).stream()
                .anyMatch(member ->
                        LanewayPace.of(member, thresholds).busyShare() >= thresholds.of(Threshold.WORKERS_SHARE));
    }

    /** Whether the others could take over what one process does, if the load is spread as it is now. */
    private static String withOneFewer(ClientPicture clients, double busy, Thresholds thresholds) {
        long processes = clients.clients.stream().map(Client::source).distinct().count();
        if (processes < 2) {
            return "";
        }
        double then = busy * processes / (processes - 1);
        double most = thresholds.of(Threshold.CPU_SHARE);
        return "; with " + (processes - 1) + " of " + processes + " processes they would be busy "
                + Figures.percent(then) + ", " + (then <= most ? "at most " : "more than ") + Figures.percent(most)
                + ": one " + (then <= most ? "may go" : "more is needed than that");
    }

    private static Finding waste(Observations seen, Thresholds thresholds) {
        GroupPicture group = GroupPicture.of(seen);
        ClientPicture clients = ClientPicture.of(seen);
        if (!clients.isSeen()) {
            return Finding.unknown(RuleId.W1, "no member told how idle it is", MEMBERS);
        }
        double least = thresholds.of(Threshold.IDLE_SHARE);
        FindingBuilder finding = new FindingBuilder(RuleId.W1)
                .threshold("less than " + Figures.percent(least) + " of all threads' time idle, or one consumer");
        double idlest = 1;
        double sum = 0;
        for (Client client : clients.clients) {
            OptionalDouble idle = client.idle();
            if (idle.isEmpty()) {
                return Finding.unknown(RuleId.W1, client + " tells no poll-idle-ratio-avg", MEMBERS);
            }
            idlest = Math.min(idlest, idle.getAsDouble());
            sum += 1 - idle.getAsDouble();
            finding.evidence(client + ": idle " + Figures.percent(idle.getAsDouble()) + " of the time");
        }
        int count = clients.clients.size();
        finding.observed("the busiest of " + Figures.plural(count, "consumer is", "consumers is") + " idle "
                + Figures.percent(idlest) + " of the time" + withOneFewer(clients, sum / count, thresholds));
        if (count < 2 || idlest <= least || group.trend().grows()) {
            return finding.fine();
        }
        int enough = Math.max(1, (int) Math.ceil(sum / thresholds.of(Threshold.CPU_SHARE)));
        return finding.warn(
                Cause.OVER_PROVISIONED,
                Confidence.MEDIUM,
                "All " + count + " consumers are idle more than " + Figures.percent(least) + " of the time.",
                Figures.plural(enough, "consumer", "consumers")
                        + " would do at this load; remove one after the other, and check" + " again after each.");
    }
}
