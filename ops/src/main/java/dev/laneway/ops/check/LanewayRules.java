package dev.laneway.ops.check;

import dev.laneway.Health;
import dev.laneway.PauseReason;
import dev.laneway.ops.check.LanewayPicture.Member;
import dev.laneway.ops.observe.Observations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The rules about Laneway: what its health tells, and what its workers do. */
final class LanewayRules {
    private static final String HOW = "give a Laneway to LanewaySource in its process, or let it register a LanewayBean"
            + " and give its process by --pid or --jmx";
    /** Records behind busy keys, of all that is held or spilled, from which on keys are what is missing. */
    private static final double BEHIND_KEYS = 0.5;

    private static final double RESERVE = 1.2;

    private LanewayRules() {}

    static List<Rule> all() {
        return List.of(Rule.of(RuleId.L1, (seen, _) -> health(seen)), Rule.of(RuleId.L2, LanewayRules::workers));
    }

    private static boolean hasOthers(Observations seen) {
        return Instance.any(seen) && LanewayPicture.of(seen).isEmpty();
    }

    // ---------------------------------------------------------------- what it says itself

    private static Finding health(Observations seen) {
        List<Member> members = LanewayPicture.of(seen);
        if (members.isEmpty()) {
            return nobody(seen, RuleId.L1);
        }
        FindingBuilder finding = new FindingBuilder(RuleId.L1).threshold("each is UP");
        List<Told> told = new ArrayList<>();
        for (Member member : members) {
            Health health = member.health();
            health.reasons().forEach(reason -> finding.evidence(member.name() + ": " + reason));
            // Those of what works are remarks; others mix with remarks, which stand last.
            health.causes()
                    .forEach(cause -> told.add(
                            new Told(member, Cause.valueOf(cause.name()), reason(health, cause), health.status())));
        }
        told.removeIf(one -> one.status == Health.Status.UP && one.cause.kind() != Cause.Kind.RISKS);
        long up = members.stream()
                .filter(member -> member.health().status() == Health.Status.UP)
                .count();
        finding.observed(
                up == members.size()
                        ? Figures.plural(members.size(), "Laneway is", "Laneways are") + " UP"
                        : (members.size() - up) + " of " + Figures.plural(members.size(), "Laneway", "Laneways")
                                + " not UP");
        if (told.isEmpty()) {
            return members.stream()
                    .filter(member -> member.health().status() == Health.Status.DOWN)
                    .findFirst()
                    .map(member -> down(member, finding))
                    .orElseGet(finding::fine);
        }
        Told first = told.stream().min(Comparator.comparing(Told::cause)).orElseThrow();
        String diagnosis = first.member.name() + ": " + first.reason + ".";
        return first.cause.kind() == Cause.Kind.RISKS
                ? finding.warn(first.cause, Confidence.HIGH, diagnosis, "Do what it says.")
                : finding.fail(
                        first.cause, Confidence.HIGH, diagnosis, "Do what it says; health() tells when it is over.");
    }

    /** For a reason that begins with no cause's words, such as another version's. */
    private static Finding down(Member member, FindingBuilder finding) {
        List<String> reasons = member.health().reasons();
        return finding.fail(
                Cause.STUCK_MEMBER,
                Confidence.MEDIUM,
                member.name() + " is DOWN: " + (reasons.isEmpty() ? "it tells no reason" : reasons.getFirst()) + ".",
                "Look at its log; health() tells when it is over.");
    }

    private record Told(Member member, Cause cause, String reason, Health.Status status) {}

    /** Its details, which the words of the cause stand before; the words alone where there are none. */
    private static String reason(Health health, Health.Cause cause) {
        String reason = health.reasons().stream()
                .filter(told -> told.startsWith(cause.words()))
                .findFirst()
                .orElseThrow();
        String details = reason.substring(cause.words().length()).replaceFirst("^[:, ]+", "");
        return details.isEmpty() ? cause.words() : details;
    }

    static Finding nobody(Observations seen, RuleId rule) {
        return hasOthers(seen)
                ? Finding.fine(rule, "no Laneway here", "", List.of())
                : Finding.unknown(rule, "no Laneway told of itself", HOW);
    }

    // ---------------------------------------------------------------- what its workers do

    private static Finding workers(Observations seen, Thresholds limits) {
        List<Member> members = LanewayPicture.of(seen);
        if (members.isEmpty()) {
            return nobody(seen, RuleId.L2);
        }
        if (members.stream().allMatch(member -> member.seconds() == 0)) {
            return Finding.unknown(RuleId.L2, "one look tells no rate", "watch longer: --for 30s");
        }
        boolean grows = GroupPicture.of(seen).trend().grows();
        List<Finding> findings = members.stream()
                .filter(member -> member.seconds() > 0)
                .map(member -> new Work(member, LanewayPace.of(member, limits), limits).judge(grows))
                .toList();
        return StreamsRule.worst(findings);
    }

    /** What one Laneway did in the latest seconds. */
    private record Work(Member member, LanewayPace pace, Thresholds limits) {
        double secondsPerRecord() {
            Double each = pace.attemptSeconds();
            return each == null ? member.growth("busy-ns-total") / 1e9 : each;
        }

        /** Records that are appended in a second. */
        double appended() {
            return pace.seconds() == 0
                    ? 0
                    : member.parts("end").stream()
                                    .mapToDouble(end -> end.latest(LanewayPicture.NOW_SECONDS, 2)
                                            .growth())
                                    .sum()
                            / pace.seconds();
        }

        Finding judge(boolean grows) {
            FindingBuilder finding = new FindingBuilder(RuleId.L2)
                    .threshold(
                            "less than " + Figures.percent(limits.of(Threshold.WORKERS_SHARE)) + " of the workers busy")
                    .observed(Figures.percent(pace.busyShare()) + " of " + Figures.number(member.last("workers"))
                            + " workers busy, "
                            + Figures.percent(pace.waitingShare()) + " of that waiting, "
                            + Figures.number(secondsPerRecord() * 1e3) + " ms a record")
                    .evidence(member.name() + ": " + Figures.number(pace.done() / pace.seconds())
                            + " records a second, " + Figures.number(secondsPerRecord() * 1e3) + " ms each, "
                            + Figures.percent(pace.busyShare()) + " of " + Figures.number(member.last("workers"))
                            + " workers busy, " + Figures.percent(pace.waitingShare()) + " of that waiting")
                    .evidence(member.name() + ": holds " + Figures.number(member.last("held")) + " of "
                            + Figures.number(member.last("buffer-records")) + " records, "
                            + Figures.number(member.sum("lanes")) + " busy keys, " + Figures.number(behindKeys())
                            + " records behind them");
            Map<String, String> pauses = member.pauses();
            pauses.forEach((partition, why) -> finding.evidence(partition + ": paused, " + why));
            if (!grows) {
                return finding.fine();
            }
            return pace.busyShare() + unseenShare() >= limits.of(Threshold.WORKERS_SHARE)
                    ? busy(finding)
                    : idle(finding.blame(member.mostLag()), pauses);
        }

        /** Of each worker up to one record may have begun late in the time. */
        private double unseenShare() {
            return member.seconds() == 0 ? 0 : Math.min(1, secondsPerRecord() / member.seconds());
        }

        private double behindKeys() {
            return Math.max(0, member.sum("in-flight") - member.sum("lanes"));
        }

        /** All that can work does. */
        private Finding busy(FindingBuilder finding) {
            boolean waits = pace.waitingShare() >= limits.of(Threshold.EXTERNAL_SHARE);
            String took = Figures.number(secondsPerRecord() * 1e3) + " ms";
            if (waits && secondsPerRecord() >= limits.of(Threshold.HANDLER_SECONDS)) {
                return finding.fail(
                        Cause.EXTERNAL_CALL,
                        Confidence.MEDIUM,
                        "Handlers of " + member.name() + " wait: a record takes " + took + ", "
                                + Figures.percent(pace.waitingShare()) + " of it in waiting.",
                        "Look at the service that they call first, and give its calls a time limit; raise concurrency"
                                + " only if it takes more calls at once.");
            }
            if (waits && pace.isSlower(limits) && pace.usualSeconds() != null) {
                String before = Figures.number(pace.usualSeconds() * 1e3) + " ms";
                return finding.evidence(member.name() + ": a record took " + before + " before")
                        .fail(
                                Cause.EXTERNAL_CALL,
                                Confidence.HIGH,
                                "What handlers of " + member.name() + " call has become slower: a record takes " + took
                                        + " instead of " + before + ", " + Figures.percent(pace.waitingShare())
                                        + " of it in waiting.",
                                "Look at the service that they call; more workers send it more at once.");
            }
            if (waits) {
                return finding.fail(
                        Cause.TOO_FEW_THREADS,
                        Confidence.MEDIUM,
                        "All " + Figures.number(member.last("workers")) + " workers of " + member.name()
                                + " are busy, and wait for most of the " + took + " that a record takes.",
                        "Raise concurrency" + enough()
                                + ", which costs little where handlers wait, if what they call takes more calls at"
                                + " once.");
            }
            double processors = ClientPicture.of(member.seen())
                    .processorShare(member.source())
                    .orElse(1);
            return processors >= limits.of(Threshold.CPU_SHARE)
                    ? finding.warn(
                            Cause.CPU,
                            Confidence.MEDIUM,
                            "All workers of " + member.name() + " compute, " + took + " a record.",
                            "Make the handler faster, or add processors or instances.")
                    : finding.fail(
                            Cause.TOO_FEW_THREADS,
                            Confidence.MEDIUM,
                            "All " + Figures.number(member.last("workers")) + " workers of " + member.name()
                                    + " compute, while the processors have room.",
                            "Raise concurrency to the number of processors, with Workers.cpuBound.");
        }

        /** From how many workers to how many, if all that comes is to be done, with a fifth more. */
        private String enough() {
            double workers = member.last("workers");
            double needed = Math.ceil(RESERVE * appended() * secondsPerRecord());
            return needed > workers ? " from " + Figures.number(workers) + " to " + Figures.number(needed) : "";
        }

        /** More comes than is done, and workers have nothing to do. */
        private Finding idle(FindingBuilder finding, Map<String, String> pauses) {
            double here = member.last("held") + member.sum("spilled-records");
            if (has(pauses, why -> why.equals(PauseReason.USER.name()))) {
                return finding.fail(
                        Cause.PAUSED,
                        Confidence.HIGH,
                        "Partitions of " + member.name() + " are paused by the user: " + names(pauses) + ".",
                        "Call resume().");
            }
            if (has(pauses, why -> why.equals(PauseReason.METADATA_FULL.name()))) {
                return finding.fail(
                        Cause.STUCK_KEY,
                        Confidence.HIGH,
                        "Partitions of " + member.name() + " fetch nothing, since the metadata of their commits is full"
                                + " of what is done beyond unfinished records: " + names(pauses) + ".",
                        "Mend or skip the oldest unfinished records, which health() names, or choose"
                                + " whenMapIsFull(REPEAT_AFTER_CRASH).");
            }
            if (here > 0 && behindKeys() >= BEHIND_KEYS * here) {
                return finding.fail(
                        Cause.HOT_KEY,
                        Confidence.HIGH,
                        Figures.plural(member.sum("lanes"), "key is", "keys are") + " busy in " + member.name()
                                + ", " + Figures.number(behindKeys()) + " of " + Figures.number(here)
                                + " records wait behind them, and one worker at a time handles a key.",
                        "Split the hot key, order by a finer lane key or not at all, or make the handler faster; more"
                                + " workers or instances do not help.");
            }
            if (has(pauses, why -> why.endsWith("_FULL"))) {
                return finding.fail(
                        Cause.BUFFER_FULL,
                        Confidence.MEDIUM,
                        "Partitions of " + member.name() + " are paused for want of room while workers are idle: "
                                + names(pauses) + ".",
                        "Raise bufferRecords or bufferBytes, as the reason of the pause says.");
            }
            if (here < member.last("workers")) {
                return finding.fail(
                        Cause.KAFKA_BOUND,
                        Confidence.MEDIUM,
                        member.name() + " waits for the brokers: it holds " + Figures.number(here)
                                + " records, workers are idle, and its partitions are not paused.",
                        "Look at the brokers' fetch times, quotas and the network; more instances fetch from the same"
                                + " brokers.");
            }
            return finding.warn(
                    null,
                    Confidence.LOW,
                    "The lag grows while only " + Figures.percent(pace.busyShare()) + " of the workers of "
                            + member.name() + " are busy.",
                    "Look at the figures of its snapshot.");
        }

        private static boolean has(Map<String, String> pauses, Predicate<String> why) {
            return pauses.values().stream().anyMatch(why);
        }

        private static String names(Map<String, String> pauses) {
            return Figures.few(pauses.entrySet().stream()
                    .map(pause -> pause.getKey() + " " + pause.getValue())
                    .sorted()
                    .toList());
        }
    }
}
