package dev.laneway.ops.check;

import dev.laneway.ops.observe.Observations;
import java.util.function.BiFunction;

/** A rule: a pure function. */
interface Rule {
    /** As a function. */
    static Rule of(RuleId id, BiFunction<Observations, Thresholds, Finding> function) {
        return new Rule() {
            @Override
            public RuleId id() {
                return id;
            }

            @Override
            public Finding judge(Observations seen, Thresholds thresholds) {
                return function.apply(seen, thresholds);
            }
        };
    }

    RuleId id();

    Finding judge(Observations seen, Thresholds thresholds);
}
