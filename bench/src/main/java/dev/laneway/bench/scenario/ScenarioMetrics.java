package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import java.util.List;

/**
 * What meters cost: the same consumer with Micrometer's and without.
 *
 * <pre>
 *   topic t100: 6 partitions                      +-----------------+     +-----------------+
 *   +-----+-----+-----+-----+-----+-----+         | laneway         | --> | handler: counts |
 *   |  0  |  1  |  2  |  3  |  4  |  5  | ------> | laneway-metered |     +-----------------+
 *   +-----+-----+-----+-----+-----+-----+         +-----------------+
 *   4 M records of 100 B, 100,000 keys                    | all of its meters, read each second
 *                                                         v
 *                                                     registry
 * </pre>
 */
final class ScenarioMetrics implements Scenario {
    private static final List<String> PEERS = List.of("laneway", "laneway-metered");

    @Override
    public String name() {
        return "metrics";
    }

    @Override
    public String what() {
        return "no-op by key with the meters of laneway-metrics and without (P17)";
    }

    @Override
    public List<Case> cases(Size size) {
        Topic topic = ScenarioPlain.scaled(ScenarioManyKeys.T100, size);
        return List.of(Consume.of("t100", topic, size, Commits.BATCH, PEERS));
    }
}
