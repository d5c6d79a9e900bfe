package dev.laneway.bench;

/** What an arm does. */
interface Workload {
    /** Does it, measures it and checks it. */
    ArmResult run(ArmSpec spec) throws Exception;
}
