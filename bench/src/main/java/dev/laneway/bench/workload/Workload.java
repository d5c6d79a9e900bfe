package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;

/** What an arm does. */
interface Workload {
    /** Does it, measures it and checks it. */
    ArmResult run(ArmSpec spec) throws Exception;
}
