package dev.laneway.bench.scenario;

import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The cost of a paused partition for the bare client (KAFKA-7548): before 2.4 it dropped what it had fetched.
 *
 * <pre>
 *   topic: 10 partitions                    before each poll, 9 of 10 are paused at random
 *   +-----+-----+ - - - +-----+             +--------------------------------------+
 *   |  0  |  1  |       |  9  | ----------> | bare client 2.3.1, 2.4.0 or 4.3.1    | --> 1 record
 *   +-----+-----+ - - - +-----+             | max.poll.records=1                   |
 *   2 M records of 100 B                    +--------------------------------------+
 * </pre>
 */
final class ScenarioPauseRandom implements Scenario {
    private static final Topic TOPIC = Topic.of("pause", 10, 2_000_000, 100, 100_000);
    private static final Duration WARM = Duration.ofSeconds(2);
    private static final Duration MEASURE = Duration.ofSeconds(3);
    private static final Duration AROUND = Duration.ofSeconds(1);

    @Override
    public String name() {
        return "pause-random";
    }

    @Override
    public String what() {
        return "9 of 10 partitions paused at random before each poll of one record (KAFKA-7548)";
    }

    @Override
    public List<Case> cases(Size size) {
        Duration warm = size.time(WARM);
        Duration measure = size.time(MEASURE);
        return List.of(new Case(
                "one-of-ten",
                ScenarioPlain.scaled(TOPIC, size),
                Workloads.PAUSE,
                Map.of(
                        "warm-ms", Long.toString(warm.toMillis()),
                        "measure-ms", Long.toString(measure.toMillis())),
                List.of("bare", "bare-2.3.1", "bare-2.4.0"),
                warm.plus(measure).plus(AROUND)));
    }
}
