package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.Assignor;
import dev.laneway.ops.simulate.Simulation;
import dev.laneway.ops.simulate.SimulationResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Runs all policies under the same loads. Immutable.
 *
 * @param rows by load, in the order of the policies
 * @param runs of the first seed, for charts
 */
public record PolicyComparison(List<ComparisonRow> rows, List<Run> runs) {
    /** Copies the lists. */
    public PolicyComparison {
        rows = List.copyOf(rows);
        runs = List.copyOf(runs);
    }

    /** One simulation. */
    public record Run(LoadCase load, String policy, SimulationResult result) {}

    /**
     * Simulates each policy under each load of each seed.
     *
     * @param names of loads, as {@link LoadCases#names} has them
     * @param assignor by what groups share out their partitions; a policy that assigns by itself does so all the same
     * @param told hears after each simulation how many are done, and of how many; what it throws ends the comparison
     */
    public static PolicyComparison of(
            List<ScalingContender> policies,
            List<String> names,
            List<Boolean> states,
            List<Long> seeds,
            Assignor assignor,
            BiConsumer<Integer, Integer> told) {
        int all = policies.size() * names.size() * states.size() * seeds.size();
        int done = 0;
        List<ComparisonRow> rows = new ArrayList<>();
        List<Run> runs = new ArrayList<>();
        for (boolean isStateful : states) {
            for (String name : names) {
                List<ComparisonRow> ofLoad = new ArrayList<>();
                for (ScalingContender policy : policies) {
                    List<SimulationResult> results = new ArrayList<>();
                    for (long seed : seeds) {
                        LoadCase load = LoadCases.of(name, isStateful, seed).with(assignor);
                        SimulationResult result =
                                Simulation.run(load.scenario(), policy.starts().apply(load));
                        results.add(result);
                        if (results.size() == 1) {
                            runs.add(new Run(load, policy.name(), result));
                        }
                        done++;
                        told.accept(done, all);
                    }
                    ofLoad.add(
                            ComparisonRow.of(LoadCases.of(name, isStateful, seeds.getFirst()), policy.name(), results));
                }
                ofLoad.forEach(row -> rows.add(row.ranked(ofLoad)));
            }
        }
        return new PolicyComparison(rows, runs);
    }
}
