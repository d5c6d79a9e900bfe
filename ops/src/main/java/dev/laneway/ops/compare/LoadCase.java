package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.Scenario;

/**
 * A load that all policies meet. Immutable.
 *
 * @param name one word or two
 * @param isStateful whether partitions that change hands stand still until their state is read again
 * @param scenario as it is simulated
 * @param cpuSeconds of processor time for each record; what a record takes longer is waiting
 * @param restoreSeconds to read the state of one partition again; 0 for none
 */
public record LoadCase(String name, boolean isStateful, Scenario scenario, double cpuSeconds, double restoreSeconds) {}
