package dev.laneway.keda;

import dev.laneway.ops.control.LoopTurn;
import dev.laneway.ops.scale.Decision;
import dev.laneway.ops.scale.GroupShape;
import dev.laneway.ops.scale.RuleNote;
import dev.laneway.ops.scale.ScalingOption;
import dev.laneway.ops.scale.ScalingPolicy;
import dev.laneway.ops.scale.ScalingRule;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The number of members that is told, turn after turn. It changes by decisions alone: members that crash, or that a
 * rolling update adds for a while, must not make an autoscaler follow them. It begins with what is there once the group
 * runs in order, since nobody knows before what is wanted. Used by one thread.
 */
final class WantedMembers {
    private final int least;
    private final int most;
    private @Nullable Integer wanted;

    /** @param before what was told a short time ago, by the watch before this one; null if that is not known */
    WantedMembers(ScalingPolicy policy, @Nullable Integer before) {
        least = (int) policy.get(ScalingOption.REPLICAS_MIN);
        most = (int) policy.get(ScalingOption.REPLICAS_MAX);
        wanted = before;
    }

    /**
     * What to tell after a turn.
     *
     * @param measuredNanos when the metrics of the turn were measured
     */
    ScalingAdvice after(LoopTurn turn, long measuredNanos) {
        Decision decision = turn.decision();
        if (decision == null) {
            return ScalingAdvice.unknown(
                    turn.news().isEmpty() ? "the group is not measured yet" : String.join("; ", turn.news()));
        }
        if (isBlind(decision)) {
            return ScalingAdvice.unknown(decision.sentence());
        }
        if (decision.isChange()) {
            int to = decision.to().members();
            // Where members that were told of have never come, one more than there are is still fewer than that.
            wanted = decision.action() == Decision.Action.UP && wanted != null ? Math.max(wanted, to) : to;
        } else if (wanted == null && decision.next().settledMillis() != null) {
            GroupShape asked = decision.next().asked();
            wanted = asked == null || asked.members() < 1 ? null : (Integer) asked.members();
        }
        return wanted == null
                ? ScalingAdvice.unknown("the group has not run in order since it is watched: " + decision.sentence())
                : new ScalingAdvice(
                        Math.clamp(wanted, least, most), decision.from().members(), measuredNanos, decision.sentence());
    }

    private static boolean isBlind(Decision decision) {
        return Stream.concat(decision.fired().stream(), decision.held().stream())
                .map(RuleNote::rule)
                .anyMatch(rule -> rule == ScalingRule.STALE_DATA || rule == ScalingRule.UNREADABLE_DATA);
    }
}
