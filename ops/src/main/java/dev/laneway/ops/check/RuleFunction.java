package dev.laneway.ops.check;

import dev.laneway.ops.observe.Observations;
import java.util.function.BiFunction;

/** A rule as a function. Immutable. */
record RuleFunction(RuleId id, BiFunction<Observations, Thresholds, Finding> function) implements Rule {
    @Override
    public Finding judge(Observations seen, Thresholds thresholds) {
        return function.apply(seen, thresholds);
    }
}
