package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.SimulationResult;
import dev.laneway.ops.simulate.Tick;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What came of one policy under one load: the mean over all seeds. Immutable.
 *
 * @param load name
 * @param isStateful whether state had to be read again
 * @param policy name
 * @param breachMinutes in which records were older than the goal
 * @param p50Seconds half of the records were younger when done
 * @param p99Seconds 99 % of them were
 * @param instanceHours of all members, those that had not joined yet included
 * @param rescales how often the number of members, or the assignment, changed
 * @param recoverySeconds the longest time until the goal was met again
 * @param isOnFront whether no other policy had less of breach minutes or instance-hours, and not more of the other
 * @param isFirst whether no policy with as few instance-hours, or fewer, had as few breach minutes, and of those that
 *     scale none had fewer at all
 */
public record ComparisonRow(
        String load,
        boolean isStateful,
        String policy,
        double breachMinutes,
        double p50Seconds,
        double p99Seconds,
        double instanceHours,
        double rescales,
        double recoverySeconds,
        boolean isOnFront,
        boolean isFirst) {
    static ComparisonRow of(LoadCase load, String policy, List<SimulationResult> results) {
        return new ComparisonRow(
                load.name(),
                load.isStateful(),
                policy,
                mean(results, SimulationResult::breachMinutes),
                mean(results, SimulationResult::p50Seconds),
                mean(results, SimulationResult::p99Seconds),
                mean(results, SimulationResult::instanceHours),
                mean(results, SimulationResult::rescales),
                mean(results, ComparisonRow::recovery),
                false,
                false);
    }

    private static double mean(List<SimulationResult> results, ToDoubleFunction<SimulationResult> value) {
        return results.stream().mapToDouble(value).average().orElse(0);
    }

    private static double recovery(SimulationResult result) {
        double longest = 0;
        double since = 0;
        for (Tick tick : result.ticks()) {
            boolean isOver = Math.max(tick.ageSeconds(), tick.p99Seconds()) > LoadCases.GOAL_SECONDS;
            since = isOver ? since : tick.seconds();
            longest = Math.max(longest, tick.seconds() - since);
        }
        return longest;
    }

    /** Whether another one is at least as good in both, and better in one. */
    boolean isBeatenBy(ComparisonRow other) {
        return other.breachMinutes <= breachMinutes
                && other.instanceHours <= instanceHours
                && (other.breachMinutes < breachMinutes || other.instanceHours < instanceHours);
    }

    ComparisonRow ranked(List<ComparisonRow> ofLoad) {
        boolean front = ofLoad.stream().noneMatch(this::isBeatenBy);
        boolean least = ofLoad.stream()
                .filter(other -> !other.policy.equals(policy))
                .allMatch(other -> other.breachMinutes >= breachMinutes || other.policy.equals("static"));
        return new ComparisonRow(
                load,
                isStateful,
                policy,
                breachMinutes,
                p50Seconds,
                p99Seconds,
                instanceHours,
                rescales,
                recoverySeconds,
                front,
                front && least);
    }
}
