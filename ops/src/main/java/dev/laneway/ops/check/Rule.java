package dev.laneway.ops.check;

import dev.laneway.ops.observe.Observations;

/** A rule: a pure function. */
interface Rule {
    RuleId id();

    Finding judge(Observations seen, Thresholds thresholds);
}
