package dev.laneway.bench.scenario;

import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Everything is done but one record, and the process is killed: what is handled again?
 *
 * <pre>
 *   topic: 1 partition, 1 M records
 *   | S d d d d d d d d d d d ... d |      S: stuck, d: done, committed offset: that of S
 *     ^                           ^
 *     kill -9, and a new process starts here: which of the d does it handle again?
 * </pre>
 */
final class ScenarioRestart implements Scenario {
    private static final Topic TOPIC = Topic.of("restart", 1, 1_000_000, 100, 100_000);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Override
    public String name() {
        return "restart";
    }

    @Override
    public String what() {
        return "records done out of order behind one that is stuck, then kill -9: how many are repeated?";
    }

    @Override
    public List<Case> cases(Size size) {
        return List.of(new Case(
                "behind-one",
                ScenarioPlain.scaled(TOPIC, size),
                Workloads.RESTART,
                Map.of("concurrency", "16", "limit-ms", Long.toString(LIMIT.toMillis())),
                List.of("laneway", "parallel-consumer", "reactor-kafka"),
                Duration.ofSeconds(31)));
    }
}
