package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import java.util.List;

/**
 * Every record is committed before it is handled, so that none is handled twice.
 *
 * <pre>
 *   topic: 6 partitions             +------+     +---------------------+     +---------+
 *   +-----+-----+ - - - +-----+     |      | --> | commit, and wait    | --> | handler |
 *   |  0  |  1  |       |  5  | --> | peer |     | for the answer      |     +---------+
 *   +-----+-----+ - - - +-----+     |      |     +---------------------+
 *                                   +------+
 *   each: one record at a time, as sources of streams do; 50,000 records of 512 B
 *   poll: a whole poll of 1,000 at a time; 1 M records of 512 B
 * </pre>
 */
final class ScenarioAtMostOnce implements Scenario {
    private static final Topic SHORT = Topic.of("t512-short", 6, 50_000, 512, 100_000);

    @Override
    public String name() {
        return "at-most-once";
    }

    @Override
    public String what() {
        return "commit before handling: each record by itself, or a poll at a time (P7)";
    }

    @Override
    public List<Published> published() {
        String source = "SoftwareMill, Benchmarking akka-stream-kafka, 2016: one m4.large, Kafka 0.10";
        return List.of(
                new Published("bare loop, a commit for each record", "2,900 records/s", source),
                new Published("akka-stream-kafka 0.11, a commit for each record", "2,800 records/s", source));
    }

    @Override
    public List<Case> cases(Size size) {
        return List.of(
                Consume.roundTrips(
                        "each",
                        ScenarioPlain.scaled(SHORT, size),
                        size,
                        Commits.RECORD_AHEAD,
                        List.of("bare", "laneway", "laneway-stream", "pekko", "reactor-kafka")),
                Consume.of(
                        "poll",
                        ScenarioPlain.scaled(ScenarioPlain.T512, size),
                        size,
                        Commits.POLL_AHEAD,
                        List.of("bare", "laneway", "laneway-stream", "reactor-kafka")));
    }
}
