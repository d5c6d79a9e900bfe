package dev.laneway.bench.scenario;

import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Records are written as fast as the broker acknowledges them.
 *
 * <pre>
 *   +--------------+     +------+   at most 65,536 in flight    topic: 6 partitions
 *   | 1 M records  | --> | peer | -----------------------------> +-----+-----+ - - - +-----+
 *   | of 100 B     |     +------+ <----- acknowledgements ------ |  0  |  1  |       |  5  |
 *   +--------------+                                             +-----+-----+ - - - +-----+
 *   acks=all, linger.ms=20, batch.size=256 KiB for all; a new producer in each lap
 * </pre>
 */
final class ScenarioProduce implements Scenario {
    private static final long RECORDS = 1_000_000;
    /** Rates rise for some ten laps: two cores serve the broker, both threads of the producer, and the JIT compiler. */
    private static final Duration WARM = Duration.ofSeconds(9);

    private static final Duration MEASURE = Duration.ofSeconds(2);
    private static final Duration AROUND = Duration.ofSeconds(4);

    @Override
    public String name() {
        return "produce";
    }

    @Override
    public String what() {
        return "write records and wait for their acknowledgements, in-flight bounded (P8)";
    }

    @Override
    public List<Published> published() {
        String source = "SoftwareMill, Benchmarking akka-stream-kafka, 2016: one m4.large, Kafka 0.10";
        return List.of(
                new Published("bare loop, not waiting", "300,000 records/s", source),
                new Published("akka-stream-kafka 0.11, 100 in flight", "86,000 records/s, 0.29 of bare", source));
    }

    @Override
    public List<Case> cases(Size size) {
        Duration warm = size.time(WARM);
        Duration measure = size.time(MEASURE);
        Map<String, String> params = Map.of(
                "send-records",
                Long.toString(size.records(RECORDS)),
                "size",
                "100",
                "keys",
                "100000",
                "in-flight",
                "65536",
                "warm-ms",
                Long.toString(warm.toMillis()),
                "measure-ms",
                Long.toString(measure.toMillis()));
        return List.of(new Case(
                "t100",
                Topic.empty("produce", 6),
                Workloads.PRODUCE,
                params,
                List.of("bare", "bare-unbounded", "laneway", "pekko", "reactor-kafka", "spring-kafka"),
                warm.plus(measure).plus(AROUND)));
    }
}
