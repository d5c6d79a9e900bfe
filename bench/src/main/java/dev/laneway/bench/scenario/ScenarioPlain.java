package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import java.util.List;

/**
 * The simplest consumer: every record is read and dropped.
 *
 * <pre>
 *   topic t512: 6 partitions                     one consumer
 *   +-----+-----+-----+-----+-----+-----+        +------+     +-------------------+
 *   |  0  |  1  |  2  |  3  |  4  |  5  | -----> | peer | --> | handler: counts   |
 *   +-----+-----+-----+-----+-----+-----+        +------+     +-------------------+
 *   1 M records of 512 B, 100,000 keys           no commits, where a peer can do without
 * </pre>
 */
final class ScenarioPlain implements Scenario {
    static final Topic T512 = Topic.of("t512", 6, 1_000_000, 512, 100_000);
    static final List<String> PEERS = List.of(
            "bare",
            "bare-consumer",
            "bare-vthreads",
            "share",
            "laneway",
            "laneway-stream",
            "parallel-consumer-unordered",
            "pekko",
            "reactor-kafka",
            "spring-kafka",
            "vertx",
            "kafka-streams");
    static final List<String> QUICK_PEERS = List.of("bare", "laneway", "parallel-consumer", "pekko", "reactor-kafka");

    @Override
    public String name() {
        return "plain";
    }

    @Override
    public String what() {
        return "read every record and drop it, without commits where a peer can do without";
    }

    @Override
    public List<Published> published() {
        String source = "SoftwareMill, Benchmarking akka-stream-kafka, 2016: one m4.large, Kafka 0.10";
        return List.of(
                new Published("bare poll loop", "1,200,000 records/s", source),
                new Published("akka-stream-kafka 0.11 plainSource", "944,000 records/s, 0.79 of bare", source),
                new Published(
                        "zio-kafka 2",
                        "50,000 records in 592 ms against 544 ms, 0.92 of bare",
                        "zio-kafka, faster than java-kafka, December 2024: 4 cores"));
    }

    @Override
    public List<Case> cases(Size size) {
        return List.of(Consume.of("t512", scaled(T512, size), size, Commits.NONE, PEERS));
    }

    @Override
    public List<Case> quickCases(Size size) {
        return List.of(Consume.quick(cases(size).getFirst().withPeers(QUICK_PEERS), size));
    }

    static Topic scaled(Topic topic, Size size) {
        return topic.withRecords(size.records(topic.records()));
    }
}
