package dev.laneway.bench.scenario;

import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A member joins and leaves under load: how long do records wait, and how many are handled again?
 *
 * <pre>
 *                        topic: 12 partitions        +----------+
 *   +-------------+      +-----+ - - - +-----+  ---> | member 1 | ------------------------------>
 *   | sender:     | ---> |  0  |       | 11  |       +----------+
 *   | 500/s       |      +-----+ - - - +-----+  ---> | member 2 |      joins       leaves
 *   +-------------+                                  +----------+ ......|===========|............
 *   a handler waits for 1 ms
 * </pre>
 */
final class ScenarioRebalance implements Scenario {
    private static final Duration MEASURE = Duration.ofSeconds(10);

    @Override
    public String name() {
        return "rebalance";
    }

    @Override
    public String what() {
        return "a member joins and leaves under load: the longest wait, and duplicates";
    }

    @Override
    public List<Case> cases(Size size) {
        Duration measure = size.time(MEASURE);
        Map<String, String> params = Map.of(
                "send-rate",
                "500",
                "work-us",
                "1000",
                "concurrency",
                "16",
                "measure-ms",
                Long.toString(measure.toMillis()));
        return List.of(new Case(
                "join-and-leave",
                Topic.empty("rebalance", 12),
                Workloads.REBALANCE,
                params,
                List.of("bare", "bare-consumer", "laneway", "parallel-consumer", "spring-kafka", "kafka-streams"),
                measure.plusSeconds(3)));
    }
}
