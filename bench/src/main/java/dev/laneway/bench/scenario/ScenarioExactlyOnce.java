package dev.laneway.bench.scenario;

import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Read, compute, write: each record has one copy, whatever happens.
 *
 * <pre>
 *   topic in: 6 partitions           +------+  transactions of copies and offsets   topic out: 6 partitions
 *   +-----+-----+ - - - +-----+      |      | ------------------------------------> +-----+ - - - +-----+
 *   |  0  |  1  |       |  5  | ---> | peer |                                       |  0  |       |  5  |
 *   +-----+-----+ - - - +-----+      +------+                                       +-----+ - - - +-----+
 *   500,000 records of 100 B, 10,000 keys; a commit each 100 ms, where that can be set
 * </pre>
 */
final class ScenarioExactlyOnce implements Scenario {
    private static final Topic IN = Topic.of("copy", 6, 500_000, 100, 10_000);
    private static final Duration WARM = Duration.ofSeconds(4);
    private static final Duration MEASURE = Duration.ofSeconds(4);
    private static final Duration AROUND = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "exactly-once";
    }

    @Override
    public String what() {
        return "read, compute and write by key exactly once (P9)";
    }

    @Override
    public List<Case> cases(Size size) {
        Duration warm = size.time(WARM);
        Duration measure = size.time(MEASURE);
        Map<String, String> params = Map.of(
                "warm-ms",
                Long.toString(warm.toMillis()),
                "measure-ms",
                Long.toString(measure.toMillis()),
                "concurrency",
                "256");
        return List.of(new Case(
                "copy",
                ScenarioPlain.scaled(IN, size),
                Workloads.COPY,
                params,
                List.of("bare", "laneway", "kafka-streams", "parallel-consumer", "pekko"),
                warm.plus(measure).plus(AROUND)));
    }
}
