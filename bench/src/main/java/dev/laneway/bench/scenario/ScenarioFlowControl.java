package dev.laneway.bench.scenario;

import dev.laneway.Options;
import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A consumer that is slower than the broker, all the time: how much comes over the network for what is delivered?
 *
 * <pre>
 *   topic: 100 partitions                     +------+    a queue for each partition     one handler at a time,
 *   +-----+-----+ - - - +-----+   fetches     | peer | --> [ | | | ]  [ | | | ]  ... --> 20 us of computing each
 *   |  0  |  1  |       | 99  | ------------> |      |
 *   +-----+-----+ - - - +-----+ <- pause ---- +------+    heap and direct memory each 100 ms
 *   1 M records of 5 KB, in batches of 16 KiB
 * </pre>
 *
 * <p>Bytes delivered are those of the partitions' logs, as the broker tells them: records with their batches' headers.
 * Bytes received are all that come over the consumer's connections, so that answers to heartbeats and commits are in
 * the ratio, too.
 */
final class ScenarioFlowControl implements Scenario {
    private static final Topic TOPIC = Topic.of("flow", 100, 1_000_000, 5_000, 100_000);
    private static final Duration STUCK = Duration.ofSeconds(4);

    @Override
    public String name() {
        return "flow-control";
    }

    @Override
    public String what() {
        return "records of 5 KB from 100 partitions under constant back-pressure: bytes received for bytes delivered"
                + " (P11), and heap while all handlers hang (P12)";
    }

    @Override
    public List<Published> published() {
        String source = "Lightbend, How Alpakka uses flow control optimizations in Apache Kafka 2.4, January 2020";
        return List.of(
                new Published("Kafka 2.4.0 against 2.3.1, bytes from the broker", "32 % less", source),
                new Published("Kafka 2.4.0 against 2.3.1, throughput", "16 % more", source),
                new Published("Kafka 2.4.0 against 2.3.1, fetch requests", "48 % less", source),
                new Published("Kafka 2.4.0 against 2.3.1, records per fetch", "57 % more", source));
    }

    @Override
    public List<Case> cases(Size size) {
        Topic topic = ScenarioPlain.scaled(TOPIC, size);
        Map<String, String> params = Map.of("work-us", "20", "computing", "1", "concurrency", "1");
        Map<String, String> stuck = Map.of(
                "measure-ms",
                Long.toString(size.time(STUCK).toMillis()),
                "concurrency",
                "16",
                "budget-bytes",
                Long.toString(Options.DEFAULTS.bufferBytes()));
        return List.of(
                new Case(
                        "slow-handler",
                        topic,
                        Workloads.FLOW,
                        params,
                        List.of("bare-pausing", "bare-pausing-2.3.1", "laneway", "pekko-partitioned"),
                        Duration.ofSeconds(3 + topic.records() / 35_000)),
                new Case(
                        "stuck-handlers",
                        topic,
                        Workloads.HEAP,
                        stuck,
                        List.of("laneway"),
                        size.time(STUCK).multipliedBy(2).plusSeconds(2)));
    }
}
