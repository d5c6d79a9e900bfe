package dev.laneway.ops.scale;

import dev.laneway.ops.check.Cause;
import dev.laneway.ops.check.CheckResult.Outcome;
import dev.laneway.ops.check.Confidence;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Metrics and decisions, told shortly. */
final class Given {
    static final long START = 1_750_000_000_000L; // A Sunday, 15:06:40 UTC.
    static final long SECOND = 1_000;

    private Given() {}

    /** Members that have settled long ago, with one topic of 32 partitions. */
    static ScalingMetrics load(int members, double lag, double append, double process, @Nullable Double busy) {
        return ScalingMetrics.of(
                START, GroupShape.of(members), List.of(SourceLoad.of("orders", 32, lag, append, process)), busy);
    }

    static ScalingMetrics source(ScalingMetrics metrics, SourceLoad... sources) {
        return metrics.withLoad(metrics.shape(), List.of(sources), metrics.busyShare());
    }

    static ScalingVerdict limited(Cause cause) {
        return new ScalingVerdict(Outcome.LIMITED, cause, "Do what the check says.", Confidence.HIGH);
    }

    static ScalingVerdict broken(Cause cause) {
        return new ScalingVerdict(Outcome.BROKEN, cause, "Mend it.", Confidence.HIGH);
    }

    /** The decision on these metrics when they have been so for a minute, so that the group counts as settled. */
    static Decision settled(ScalingMetrics metrics, ScalingPolicy policy) {
        return held(metrics, policy, 7, 10);
    }

    /** The last of several decisions on the same metrics, so many seconds apart; stops at the first change. */
    static Decision held(ScalingMetrics metrics, ScalingPolicy policy, int ticks, int seconds) {
        ScalingState state = ScalingState.NEW;
        Decision decision = ScalingDecider.decide(state, metrics, policy);
        for (int i = 1; i < ticks && !decision.isChange(); i++) {
            decision = ScalingDecider.decide(decision.next(), metrics.at(START + i * SECOND * seconds), policy);
        }
        return decision;
    }

    /** Goes on from a state with the same metrics until a time has passed or something is changed. */
    static Decision on(ScalingState state, ScalingMetrics metrics, ScalingPolicy policy, long fromMillis, int seconds) {
        Decision decision = ScalingDecider.decide(state, metrics.at(fromMillis), policy);
        for (long at = fromMillis + 10 * SECOND;
                at <= fromMillis + seconds * SECOND && !decision.isChange();
                at += 10 * SECOND) {
            decision = ScalingDecider.decide(decision.next(), metrics.at(at), policy);
        }
        return decision;
    }

    static List<ScalingRule> fired(Decision decision) {
        return decision.fired().stream().map(RuleNote::rule).toList();
    }

    static List<ScalingRule> heldBack(Decision decision) {
        return decision.held().stream().map(RuleNote::rule).toList();
    }
}
