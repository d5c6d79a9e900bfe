package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.Assignor;
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
public record LoadCase(String name, boolean isStateful, Scenario scenario, double cpuSeconds, double restoreSeconds) {
    /** The same with a group that shares out its partitions in another way. */
    LoadCase with(Assignor assignor) {
        Scenario other = scenario.withGroup(scenario.group().withAssignor(assignor));
        return new LoadCase(name, isStateful, other, cpuSeconds, restoreSeconds);
    }
}
