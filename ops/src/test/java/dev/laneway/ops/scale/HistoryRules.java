package dev.laneway.ops.scale;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult.Outcome;
import dev.laneway.ops.check.Confidence;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What must hold in any history, whatever the policy reckons: it looks at decisions and metrics only, with clocks and
 * sums of its own. Used for one history.
 */
final class HistoryRules {
    private static final Set<Cause> NOT_HELPED = EnumSet.of(
            Cause.THROTTLED,
            Cause.SLOW_ACKS,
            Cause.KAFKA_BOUND,
            Cause.EXTERNAL_CALL,
            Cause.SMALL_HEAP,
            Cause.GC,
            Cause.READ_MEMORY,
            Cause.WRITE_MEMORY,
            Cause.DISK,
            Cause.HOT_KEY,
            Cause.SKEW,
            Cause.TOO_FEW_PARTITIONS);

    private final ScalingPolicy policy;
    private final List<String> broken = new ArrayList<>();

    /** Milliseconds that have passed; a clock that goes back takes none away. */
    private long passed;

    private @Nullable Long lastAt;
    private @Nullable Long changed;
    private @Nullable GroupShape asked;
    private boolean isAdopted;
    private long behind = -1_000_000_000_000L;
    private final List<long[]> needed = new ArrayList<>();

    HistoryRules(ScalingPolicy policy) {
        this.policy = policy;
    }

    List<String> broken() {
        return broken;
    }

    private void check(boolean holds, String rule) {
        if (!holds) {
            broken.add(rule);
        }
    }

    void look(ScalingMetrics metrics, Decision decision) {
        passed += lastAt == null ? 0 : Math.max(0, metrics.atMillis() - lastAt);
        boolean isBack = lastAt != null && metrics.atMillis() < lastAt;
        lastAt = metrics.atMillis();
        words(decision);
        boolean isSane = metrics.problem() == null;
        boolean isFresh = Math.abs(metrics.atMillis() - metrics.measuredAtMillis()) <= limit(ScalingOption.STALE);
        if (isSane && isFresh) {
            remember(metrics);
        }
        if (decision.isChange()) {
            check(isSane, "no change on what cannot be true");
            check(isFresh, "no change on stale data");
            check(!isBack, "no change when the clock goes back");
            check(
                    !metrics.isRising() || policy.get(ScalingOption.LATENCY_GOAL) <= 0,
                    "no change on a load of which one look was seen");
            check(metrics.isStable() && !metrics.isRestoring(), "no change while unstable or restoring");
            check(!isBroken(metrics), "no change while broken");
            check(policy.excludedAt(metrics.atMillis()) == null, "no change in an excluded period");
            check(
                    changed == null || passed - changed >= patience(decision).coolDownMillis(),
                    "no change in a cool-down");
            check(asked == null || isAdopted || asked.isSeenAs(metrics.shape()), "no change before members are there");
            size(decision);
            direction(metrics, decision);
            changed = passed;
            asked = decision.to();
            needed.clear();
        } else {
            check(decision.to().equals(decision.from()), "HOLD keeps all");
        }
        if (decision.fired().stream().anyMatch(note -> note.rule() == ScalingRule.ADOPTED)) {
            changed = passed;
            asked = metrics.shape();
        }
    }

    private ChangePatience patience(Decision decision) {
        return ChangePatience.of(
                policy, ScalingState.restartSeconds(decision.next().restarts(), policy));
    }

    private long limit(ScalingOption option) {
        return (long) (policy.get(option) * 1_000);
    }

    private static boolean isBroken(ScalingMetrics metrics) {
        return metrics.verdict() != null && metrics.verdict().outcome() == Outcome.BROKEN;
    }

    private void words(Decision decision) {
        String sentence = decision.sentence();
        check(sentence.startsWith(decision.action() + " "), "a sentence begins with the action: " + sentence);
        check(sentence.endsWith(".") && !sentence.contains("NaN") && !sentence.contains("null"), "odd: " + sentence);
        check(
                decision.isChange()
                        || !decision.fired().isEmpty()
                        || !decision.held().isEmpty()
                        || sentence.contains("right for"),
                "HOLD has a reason: " + sentence);
    }

    /** Keeps what was needed lately, as far as that can be told without the policy. */
    private void remember(ScalingMetrics metrics) {
        SourceLoad source = metrics.sources().getFirst();
        double process =
                metrics.sources().stream().mapToDouble(SourceLoad::processRate).sum();
        double append = metrics.sources().stream()
                .mapToDouble(each -> each.appendRate(policy))
                .sum();
        double seconds = 0;
        for (SourceLoad each : metrics.sources()) {
            seconds = Math.max(
                    seconds, each.lag() <= 0 ? 0 : each.processRate() <= 0 ? 1e18 : each.lag() / each.processRate());
        }
        boolean isSettled = metrics.isStable() && !metrics.isRestoring() && !isBroken(metrics);
        if (seconds > policy.get(ScalingOption.CATCHING_UP)) {
            behind = passed;
        }
        Double longest = metrics.longestWaitSeconds();
        double goal = policy.get(ScalingOption.LATENCY_GOAL);
        boolean isByMean = goal > 0 && metrics.meanBusyShare() != null && longest != null && longest <= goal;
        Double busy = isByMean ? metrics.meanBusyShare() : metrics.busyShare();
        boolean isSeen = busy != null && process > 0 && metrics.sources().size() == 1;
        if (isSeen && isSettled && (asked == null || asked.isSeenAs(metrics.shape())) && source.lag() >= 0) {
            long members = Math.min(metrics.shape().members(), working(metrics));
            double busyMembers = Math.min(1, busy) * members * append / process;
            long enough = (long) Math.ceil(busyMembers / policy.get(ScalingOption.DOWN) - 1e-6);
            needed.add(new long[] {passed, Math.min(members, enough)});
        }
    }

    /** Members that have anything to do: those beyond the partitions have not. */
    private static long working(ScalingMetrics metrics) {
        long partitions = 0;
        for (SourceLoad each : metrics.sources()) {
            if (each.partitions() == 0) {
                return Long.MAX_VALUE;
            }
            partitions += each.partitions();
        }
        long threads = Math.max(1, metrics.shape().threads());
        return (partitions + threads - 1) / threads;
    }

    private void size(Decision decision) {
        int min = policy.whole(ScalingOption.REPLICAS_MIN);
        int max = policy.whole(ScalingOption.REPLICAS_MAX);
        int from = decision.from().members();
        int to = decision.to().members();
        check(to >= 1, "never to zero");
        check(
                to == from || (to > from ? to <= max : to >= min),
                "never beyond bounds: from " + from + " to " + to + " of " + min + ".." + max);
        check(to - from <= policy.whole(ScalingOption.STEP_UP), "at most step.up at once");
        int share = Math.max(1, (int) (from * policy.get(ScalingOption.STEP_DOWN)));
        check(from - to <= share, "at most step.down.share at once");
        most(decision.from().concurrency(), decision.to().concurrency(), ScalingOption.CONCURRENCY_MAX);
        most(decision.from().threads(), decision.to().threads(), ScalingOption.THREADS_MAX);
        most(decision.from().cores(), decision.to().cores(), ScalingOption.CORES_MAX);
        most((double) decision.from().memoryBytes(), (double) decision.to().memoryBytes(), ScalingOption.MEMORY_MAX);
        double quota = policy.get(ScalingOption.QUOTA_CORES);
        double before = decision.from().cores() * from;
        double after = decision.to().cores() * to;
        boolean isAsked = from < min || policy.scheduleAt(decision.atMillis()) != null;
        check(quota <= 0 || after <= quota + 1e-6 || after <= before || isAsked, "never beyond the quota");
    }

    private void most(double from, double to, ScalingOption most) {
        check(to == from || (to > from && to <= policy.get(most)), "never beyond " + most.key());
    }

    private void direction(ScalingMetrics metrics, Decision decision) {
        int from = decision.from().members();
        int to = decision.to().members();
        ScheduledPeriod schedule = policy.scheduleAt(metrics.atMillis());
        int min = schedule == null ? policy.whole(ScalingOption.REPLICAS_MIN) : schedule.min();
        int max = schedule == null ? policy.whole(ScalingOption.REPLICAS_MAX) : schedule.max();
        ScalingVerdict verdict = metrics.verdict();
        if (to > from
                && from >= min
                && verdict != null
                && verdict.outcome() == Outcome.LIMITED
                && verdict.confidence() != Confidence.LOW) {
            check(!NOT_HELPED.contains(verdict.cause()), "no members where they do not help");
        }
        if (to < from) {
            RestoreLoad restore = metrics.restore();
            double goal = policy.get(ScalingOption.LATENCY_GOAL);
            check(
                    restore == null
                            || restore.taskReplicas() == 0
                            || from - to <= Math.max(1, restore.standbys())
                            || ChangeCost.of(from, to, restore, policy.get(ScalingOption.REBALANCE))
                                            .pauseSeconds()
                                    <= goal,
                    "no more leave than standbys take over, or than may wait within the goal");
            if (from <= max) {
                long interval = patience(decision).downMillis();
                check(passed - behind >= interval, "none leaves within an interval of catching up");
                check(changed == null || passed - changed >= interval, "none leaves within an interval of a change");
                for (long[] each : needed) {
                    long enough = Math.min(each[1], working(metrics));
                    check(passed - each[0] > interval || to >= enough, "none leaves that was needed in the interval");
                }
            }
        }
    }
}
