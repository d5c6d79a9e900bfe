package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import java.util.List;

/**
 * Every record is handled, then committed in batches.
 *
 * <pre>
 *   topic t512: 6 partitions        +------+     +---------+     +------------------------+
 *   +-----+-----+ - - - +-----+     |      | --> | handler | --> | commit: of many at once |
 *   |  0  |  1  |       |  5  | --> | peer |     +---------+     +------------------------+
 *   +-----+-----+ - - - +-----+     |      |
 *   1 M records of 512 B            +------+     bare: commitAsync after each poll of 1,000
 * </pre>
 */
final class ScenarioAtLeastOnce implements Scenario {
    private static final List<String> PEERS = List.of(
            "bare",
            "laneway",
            "laneway-stream",
            "parallel-consumer-unordered",
            "pekko",
            "reactor-kafka",
            "spring-kafka",
            "kafka-streams");

    @Override
    public String name() {
        return "at-least-once";
    }

    @Override
    public String what() {
        return "handle every record, then commit in batches";
    }

    @Override
    public List<Published> published() {
        String source = "SoftwareMill, Benchmarking akka-stream-kafka, 2016: one m4.large, Kafka 0.10";
        return List.of(
                new Published("bare poll loop, batches", "1,194,000 records/s", source),
                new Published("akka-stream-kafka 0.11, batches", "456,000 records/s, 0.38 of bare", source));
    }

    @Override
    public List<Case> cases(Size size) {
        return List.of(Consume.of("batch", ScenarioPlain.scaled(ScenarioPlain.T512, size), size, Commits.BATCH, PEERS));
    }
}
