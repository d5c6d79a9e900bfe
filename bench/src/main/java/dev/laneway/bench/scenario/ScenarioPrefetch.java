package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Handling while the client fetches: from which handler time on is a library faster than a loop that does one after the
 * other?
 *
 * <pre>
 *   topic: 6 partitions                       bare:  | poll | handle | poll | handle | ...
 *   +-----+-----+ - - - +-----+   +------+
 *   |  0  |  1  |       |  5  | ->| peer |    peer:  | poll | poll   | poll | ...
 *   +-----+-----+ - - - +-----+   +------+                  | handle | handle | ...
 *
 *   short-50k, short-100k: so many records of 512 B and 1 KB; the rate has the join in it, steady_rate has not
 *   sweep: 1 M records of 512 B, one in 1,000 of each partition takes some time, waiting or computing: one after the
 *          other in one process, see SweepWorkload
 * </pre>
 */
public final class ScenarioPrefetch implements Scenario {
    /** Handler time for 1,000 records, microseconds. */
    public static final List<Integer> WAITS = List.of(0, 100, 300, 1_000, 3_000, 10_000);

    private static final List<Integer> COMPUTES = List.of(1_000, 10_000);
    private static final Topic SHORT_50K = Topic.of("short-50k", 6, 50_000, 512, 100_000);
    private static final Topic SHORT_100K = Topic.of("short-100k", 6, 100_000, 1_024, 100_000);
    private static final List<String> SHORT_PEERS = List.of("bare", "laneway", "pekko", "reactor-kafka");
    private static final List<String> PEERS =
            List.of("bare", "laneway", "laneway-partition", "pekko-partitioned", "reactor-kafka");
    private static final Duration WARM = Duration.ofSeconds(3);
    private static final Duration MEASURE = Duration.ofMillis(1_200);

    @Override
    public String name() {
        return "prefetch";
    }

    @Override
    public String what() {
        return "handler time per 1,000 records from which a loop falls behind: the crossover (P10)";
    }

    @Override
    public List<Published> published() {
        String source = "zio-kafka, faster than java-kafka, December 2024: 4 cores, Kafka in the same JVM";
        return List.of(
                new Published("zio-kafka 2, 50,000 records of 512 B with the join", "592 ms, bare 544 ms", source),
                new Published("zio-kafka 2, crossover", "1.2 ms per 1,000 records, calculated", source));
    }

    @Override
    public List<Case> cases(Size size) {
        Duration measure = size.time(MEASURE);
        Duration laps = measure.multipliedBy(WAITS.size() + COMPUTES.size());
        Case sweep = Consume.of(
                        "sweep",
                        ScenarioPlain.scaled(ScenarioPlain.T512, size),
                        Commits.NONE,
                        size.time(WARM),
                        measure,
                        PEERS)
                .with("waits-us", text(WAITS))
                .with("computes-us", text(COMPUTES));
        return List.of(
                Consume.of("short-50k", ScenarioPlain.scaled(SHORT_50K, size), size, Commits.NONE, SHORT_PEERS),
                Consume.of("short-100k", ScenarioPlain.scaled(SHORT_100K, size), size, Commits.NONE, SHORT_PEERS),
                new Case(
                        sweep.name(),
                        sweep.topic(),
                        Workloads.SWEEP,
                        sweep.params(),
                        sweep.peers(),
                        sweep.armTime().plus(laps)));
    }

    private static String text(List<Integer> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
