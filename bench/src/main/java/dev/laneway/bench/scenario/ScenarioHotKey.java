package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import java.util.List;

/**
 * The worst case of order by key: all records have one key, so no two may overlap.
 *
 * <pre>
 *   topic hot: 1 partition
 *   +--------------------------+        +------+
 *   | a a a a a a a a a a a a  | -----> | peer | --> handler: counts
 *   +--------------------------+        +------+
 *   1 M records of 100 B, 1 key
 * </pre>
 */
public final class ScenarioHotKey implements Scenario {
    private static final Topic HOT = Topic.of("hot", 1, 1_000_000, 100, 1);

    @Override
    public String name() {
        return "hot-key";
    }

    @Override
    public String what() {
        return "one key in one partition, handlers that do nothing, commits (P2)";
    }

    @Override
    public List<Case> cases(Size size) {
        return List.of(Consume.of(
                "hot",
                ScenarioPlain.scaled(HOT, size),
                size,
                Commits.BATCH,
                List.of("bare", "laneway", "parallel-consumer", "pekko", "reactor-kafka")));
    }
}
