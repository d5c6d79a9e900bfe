package dev.laneway.ops.scale;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why a decision was not for another number of members. Pure functions of its line in the log. */
public final class WhyNot {
    private WhyNot() {}

    /** The reasons, in sentences, what rules it out first. */
    public static List<String> reasons(LogEntry entry, int members) {
        Decision decision = entry.decision();
        if (members == decision.to().members()) {
            return List.of(
                    decision.isChange()
                            ? "It was: " + decision.sentence()
                            : "It was: there are " + members + ", and they stay. " + decision.sentence());
        }
        List<String> reasons = new ArrayList<>();
        ScalingPolicy policy = entry.scalingPolicy();
        bounds(entry, policy, members, reasons);
        if (entry.inputs().problem() == null) {
            load(entry, policy, members, reasons);
            partitions(entry.inputs(), members, reasons);
        }
        notes(decision, members, reasons);
        return reasons;
    }

    private static void bounds(LogEntry entry, ScalingPolicy policy, int members, List<String> reasons) {
        int min = policy.whole(ScalingOption.REPLICAS_MIN);
        int max = policy.whole(ScalingOption.REPLICAS_MAX);
        String by = "replicas.min and replicas.max";
        ScheduledPeriod schedule = policy.scheduleAt(entry.decision().atMillis());
        if (schedule != null) {
            min = schedule.min();
            max = schedule.max();
            by = "schedule." + schedule.name();
        }
        if (members < 1) {
            reasons.add("A group never gets 0 members: nobody would see that records wait.");
        } else if (members < min || members > max) {
            reasons.add("Bounds: " + by + " allow " + min + " to " + max + ".");
        }
        quota(policy.get(ScalingOption.QUOTA_CORES), entry.inputs().shape().cores(), members, "quota.cores", reasons);
        quota(
                policy.get(ScalingOption.QUOTA_MEMORY),
                (double) entry.inputs().shape().memoryBytes(),
                members,
                "quota.memory.bytes",
                reasons);
    }

    private static void quota(double quota, double each, int members, String key, List<String> reasons) {
        if (quota > 0 && each > 0 && members * each > quota * (1 + 1e-9)) {
            reasons.add("Quota: " + members + " members take " + Num.of(members * each) + ", and " + key + " is "
                    + Num.of(quota) + ".");
        }
    }

    private static void load(LogEntry entry, ScalingPolicy policy, int members, List<String> reasons) {
        LoadDemand demand = LoadDemand.of(entry.inputs(), policy);
        if (!demand.isKnown() || members < 1) {
            if (!demand.isKnown()) {
                reasons.add("Load: what the members could do was not known, so that no number could be reckoned.");
            }
            return;
        }
        double restart = ScalingState.restartSeconds(entry.before().restarts(), policy);
        double enough = demand.enough(policy, restart);
        String busy = members + (members == 1 ? " member" : " members") + " would be "
                + Num.percent(demand.work() / members) + " busy";
        if (demand.threshold(policy) > members) {
            reasons.add("Too few: " + busy + " and would need " + Num.of(demand.drainSeconds(members))
                    + " s for what waits; the limit is " + Num.percent(policy.get(ScalingOption.MAX)) + ", and "
                    + Num.of(policy.get(ScalingOption.CATCH_UP)) + " s.");
        } else if (enough > members) {
            reasons.add("Too few to come to: " + busy + ", and fewer members may be at most "
                    + Num.percent(policy.get(ScalingOption.DOWN)) + ", with room for what a change leaves waiting.");
        } else if (members > entry.decision().to().members() && members > Num.ceil(enough)) {
            reasons.add("Not needed: " + busy + ", and " + Math.max(1, Num.ceil(enough)) + " are enough.");
        }
    }

    private static void partitions(ScalingMetrics inputs, int members, List<String> reasons) {
        UsefulCounts useful = UsefulCounts.of(inputs);
        if (members >= 1 && useful.tasks() > 0 && useful.atMost(members) < members) {
            reasons.add("Not useful: of " + useful.tasks() + " partitions or tasks the fullest of " + members
                    + " members has " + useful.load(members) * useful.slots() + ", as with "
                    + useful.atMost(members) + ".");
        }
    }

    private static void notes(Decision decision, int members, List<String> reasons) {
        boolean isMore = members > decision.from().members();
        for (RuleNote note : decision.fired()) {
            if (note.rule().kind() == ScalingRule.Kind.GATE || note.rule() == ScalingRule.ADOPTED) {
                reasons.add("No change at all: " + note.why() + until(note.untilMillis()) + ".");
            }
        }
        for (RuleNote note : decision.held()) {
            boolean isOfDirection = switch (note.rule()) {
                case CATCHING_UP, DOWN_INTERVAL, REMOVE_MEMBERS -> !isMore;
                case SCHEDULED, OBSERVED_RATE -> false;
                case NOT_USEFUL, COST, AT_LIMIT, STEP_LIMIT, ALIGNED ->
                    isMore == decision.raw() > decision.from().members();
                default -> isMore;
            };
            if (isOfDirection) {
                reasons.add("Held back: " + note.why() + until(note.untilMillis()) + ".");
            }
        }
        if (reasons.isEmpty()) {
            reasons.add("Nothing asked for it: " + decision.sentence());
        }
    }

    private static String until(@Nullable Long millis) {
        return millis == null
                ? ""
                : " (until " + Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS) + " at most)";
    }
}
