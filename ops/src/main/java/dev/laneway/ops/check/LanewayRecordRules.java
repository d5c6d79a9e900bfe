package dev.laneway.ops.check;

import dev.laneway.PauseReason;
import dev.laneway.ops.check.LanewayPicture.Member;
import dev.laneway.ops.check.LanewayPicture.Unfinished;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Whether a Laneway's records go on: that they end, in about the time that others take, and that those that wait start.
 */
final class LanewayRecordRules {
    /** One failed attempt is no news, and two may be one record's. */
    private static final int FAILURES = 3;

    private LanewayRecordRules() {}

    static List<Rule> all() {
        return List.of(
                Rule.of(RuleId.L3, (seen, limits) -> each(RuleId.L3, seen, limits, LanewayRecordRules::ends)),
                Rule.of(RuleId.L4, (seen, limits) -> each(RuleId.L4, seen, limits, LanewayRecordRules::starts)));
    }

    private static Finding each(
            RuleId rule, Observations seen, Thresholds limits, BiFunction<Member, Thresholds, Finding> one) {
        List<Member> members = LanewayPicture.of(seen);
        return members.isEmpty()
                ? LanewayRules.nobody(seen, rule)
                : StreamsRule.worst(members.stream()
                        .map(member -> one.apply(member, limits))
                        .toList());
    }

    // ---------------------------------------------------------------- those that were started end

    private static Finding ends(Member member, Thresholds limits) {
        LanewayPace pace = LanewayPace.of(member, limits);
        FindingBuilder finding = new FindingBuilder(RuleId.L3)
                .threshold("no record unfinished for more than " + Figures.time(pace.stuckSeconds())
                        + ", and attempts that succeed");
        Optional<Unfinished> oldest = member.unfinished().stream().max(Comparator.comparingDouble(Unfinished::seconds));
        finding.observed(
                oldest.map(record -> record.partition() + ": the oldest is unfinished for " + seconds(record.seconds()))
                        .orElse("none is unfinished"));
        if (oldest.isPresent() && pace.isStuck(oldest.get().seconds())) {
            return stuck(member, pace, oldest.get(), finding);
        }
        if (pace.done() == 0 && pace.failed() >= FAILURES) {
            return failing(member, pace, finding);
        }
        return finding.fine();
    }

    private static Finding stuck(Member member, LanewayPace pace, Unfinished oldest, FindingBuilder finding) {
        String record = oldest.partition() + "@" + (long) member.ofPart(oldest.series(), "oldest-offset");
        Double usual = pace.attemptSeconds();
        finding.blame(oldest.partition())
                .evidence(member.name() + ": record " + record + " is unfinished for " + seconds(oldest.seconds()))
                .evidence(
                        usual == null
                                ? member.name() + ": no other record has ended"
                                : member.name() + ": others " + (pace.done() > 0 ? "take " : "took ") + seconds(usual)
                                        + " on average");
        double spilled = member.ofPart(oldest.series(), "spilled-records");
        if (spilled > 0) {
            finding.evidence(oldest.partition() + ": " + Figures.number(spilled) + " records of "
                    + Figures.number(member.ofPart(oldest.series(), "spilled-keys"))
                    + " busy keys wait in the log");
        }
        String age = "Record " + record + " of " + member.name() + " is unfinished for " + seconds(oldest.seconds());
        if (pace.failed() > 0) {
            return finding.evidence(failures(member, pace))
                    .fail(
                            Cause.POISON_RECORD,
                            Confidence.MEDIUM,
                            age + ", and " + Figures.plural(pace.failed(), "attempt", "attempts") + " failed in "
                                    + seconds(pace.seconds()) + ".",
                            "Mend the handler or what it calls, or give the record up: retry(n).thenDeadLetter.");
        }
        return finding.fail(
                Cause.STUCK_KEY,
                Confidence.HIGH,
                age + (pace.done() > 0 ? "; records of other keys go on." : "; no other record ends."),
                "Look at what its handler waits for; attemptLimit ends such attempts.");
    }

    private static Finding failing(Member member, LanewayPace pace, FindingBuilder finding) {
        String remedy = "Mend the handler or what it calls; the log names the latest failure.";
        finding.evidence(failures(member, pace));
        return member.sum("lanes") == 1
                ? finding.blame(member.mostLag())
                        .fail(
                                Cause.POISON_RECORD,
                                Confidence.MEDIUM,
                                "Each of " + member.name() + "'s attempts of the last " + seconds(pace.seconds())
                                        + " failed, " + Figures.number(pace.failed()) + " in all, of one key.",
                                remedy)
                : finding.fail(
                        Cause.ATTEMPTS_FAIL,
                        Confidence.MEDIUM,
                        "Each of " + member.name() + "'s attempts of the last " + seconds(pace.seconds()) + " failed, "
                                + Figures.number(pace.failed()) + " in all.",
                        remedy);
    }

    private static String failures(Member member, LanewayPace pace) {
        return member.name() + ": " + Figures.plural(pace.failed(), "attempt", "attempts") + " failed in "
                + seconds(pace.seconds());
    }

    /** A time in the unit in which handlers' times are told: milliseconds below a second. */
    private static String seconds(double seconds) {
        return seconds < 1 ? Figures.number(1e3 * seconds) + " ms" : Figures.time(seconds);
    }

    // ---------------------------------------------------------------- those that wait start

    private static Finding starts(Member member, Thresholds limits) {
        double still = limits.of(Threshold.STILL_SECONDS);
        FindingBuilder finding =
                new FindingBuilder(RuleId.L4).threshold("of what waits a record starts within " + Figures.time(still));
        Map<String, String> pauses = member.pauses();
        List<Series> parts = member.parts("held");
        if (!parts.isEmpty()
                && pauses.size() == parts.size()
                && pauses.values().stream().allMatch(PauseReason.USER.name()::equals)) {
            return finding.observed("all partitions are paused")
                    .evidence(member.name() + ": all of its "
                            + Figures.plural(parts.size(), "partition is", "partitions are") + " paused, USER")
                    .fail(
                            Cause.PAUSED,
                            Confidence.HIGH,
                            member.name() + ": all of its partitions are paused by the user.",
                            "Call resume().");
        }
        LanewayPace pace = LanewayPace.of(member, limits);
        boolean isStill = pace.seconds() >= still
                && pace.done() + pace.failed() + member.growth("busy-ns-total") == 0
                && pauses.values().stream().noneMatch(LanewayRecordRules::isTold)
                && member.sum("delayed") == 0;
        double waits = isStill ? waits(member, pace.seconds()) : 0;
        if (waits == 0) {
            return finding.observed(
                            isStill
                                    ? "nothing waits"
                                    : Figures.number(pace.done()) + " records done in " + seconds(pace.seconds()))
                    .fine();
        }
        return finding.observed("none started in " + seconds(pace.seconds()))
                .evidence(member.name() + ": " + Figures.plural(waits, "record waits", "records wait")
                        + ", none was done, and no handler ran in " + seconds(pace.seconds()))
                .blame(member.mostLag())
                .fail(
                        Cause.STUCK_MEMBER,
                        Confidence.MEDIUM,
                        member.name() + " did no record in " + seconds(pace.seconds()) + " while "
                                + Figures.plural(waits, "waits", "wait") + ", and no handler runs.",
                        "Look at the log and at the brokers; if they are well, take a thread dump (jcmd PID"
                                + " Thread.print) and restart it.");
    }

    /** It waits because it is told to, and others may because of it: what it holds takes their room. */
    private static boolean isTold(String pause) {
        return pause.equals(PauseReason.USER.name()) || pause.equals(PauseReason.DELAYED.name());
    }

    /** Records that wait, of partitions in which some have waited all the time; no transaction's marker. */
    private static double waits(Member member, double seconds) {
        return member.parts("lag").stream()
                .filter(member::isOfNow)
                .map(lag -> lag.latest(seconds, 2))
                .filter(lag -> lag.min() > 1 || (lag.min() == 1 && (lag.max() > 1 || member.ofPart(lag, "held") > 0)))
                .mapToDouble(Series::last)
                .sum();
    }
}
