package dev.laneway.bench.scenario;

import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The engine's own cost per record, without a broker and without Kafka's client.
 *
 * <pre>
 *   +------------------------+       +--------+       +---------------+
 *   | replay from memory:    | ----> | engine | ----> | no-op handler |
 *   | polls of 1,000 records |       +--------+       +---------------+
 *   +------------------------+   less the same without the engine in between
 * </pre>
 */
final class ScenarioCost implements Scenario {
    private static final long RECORDS = 2_000_000;
    /** A lap takes a tenth of a second: with few of them it is mostly the JIT compiler that is measured. */
    private static final long WARM_LAPS = 20;

    private static final long LAPS = 15;
    private static final Duration ARM = Duration.ofSeconds(15);

    @Override
    public String name() {
        return "cost";
    }

    @Override
    public String what() {
        return "CPU time and allocation of the engine alone for a record (P6)";
    }

    @Override
    public List<Case> cases(Size size) {
        Topic replay = Topic.empty("replay", 1);
        Case bytes = new Case(
                "bytes",
                replay,
                Workloads.COST,
                Map.of(
                        "records",
                        Long.toString(size.records(RECORDS)),
                        "warm-laps",
                        Long.toString(WARM_LAPS),
                        "laps",
                        Long.toString(LAPS)),
                List.of("laneway"),
                ARM);
        return List.of(
                bytes,
                new Case("strings", replay, bytes.workload(), bytes.params(), bytes.peers(), ARM).with("strings", 1));
    }
}
