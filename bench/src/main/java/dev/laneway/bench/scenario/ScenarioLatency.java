package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How long after it was meant to be sent does a record's handler start?
 *
 * <pre>
 *   +--------------------+      topic: 6 partitions           +------+
 *   | sender: record n   | ---> +-----+ - - - +-----+ ------> | peer | --> handler: takes the time
 *   | is due at n / rate |      |  0  |       |  5  |         +------+     since the record was due
 *   +--------------------+      +-----+ - - - +-----+
 *   1,000, 10,000 and 50,000 records of 100 B a second; linger.ms=0; commits
 * </pre>
 */
final class ScenarioLatency implements Scenario {
    private static final List<String> PEERS = List.of(
            "bare",
            "laneway",
            "laneway-stream",
            "parallel-consumer",
            "pekko",
            "reactor-kafka",
            "spring-kafka",
            "kafka-streams");
    private static final List<String> FAST_PEERS = List.of("bare", "laneway", "pekko", "reactor-kafka");
    private static final Duration WARM = Duration.ofMillis(1_500);
    private static final Duration MEASURE = Duration.ofSeconds(3);
    /** The slowest rate takes longest to warm up, and a single pause must not be one percent of the records. */
    private static final Duration SLOW_WARM = Duration.ofSeconds(4);

    private static final Duration SLOW_MEASURE = Duration.ofSeconds(7);
    private static final Duration AROUND = Duration.ofSeconds(2);

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String what() {
        return "from when a record was meant to be sent to the start of its handler (P13)";
    }

    @Override
    public List<Case> cases(Size size) {
        List<Case> cases = new ArrayList<>();
        for (int rate : new int[] {1_000, 10_000, 50_000}) {
            boolean slow = rate == 1_000;
            Duration warm = size.time(slow ? SLOW_WARM : WARM);
            Duration measure = size.time(slow ? SLOW_MEASURE : MEASURE);
            Map<String, String> params = Map.of(
                    "send-rate",
                    Integer.toString(rate),
                    "commits",
                    Commits.BATCH.label(),
                    "warm-ms",
                    Long.toString(warm.toMillis()),
                    "measure-ms",
                    Long.toString(measure.toMillis()));
            cases.add(new Case(
                    "rate-" + rate,
                    Topic.empty("latency", 6),
                    Workloads.LATENCY,
                    params,
                    slow ? PEERS : FAST_PEERS,
                    warm.plus(measure).plus(AROUND)));
        }
        return cases;
    }
}
