package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import java.time.Duration;
import java.util.List;

/**
 * What each order allows when handlers wait, next to what Little's law allows.
 *
 * <pre>
 *   topic keys: 10 partitions, 100 keys     +------+     partition-1:    1 at once   100 records/s
 *   +-----+-----+ - - - +-----+             |      | --> partition-10:  10 at once   1,000
 *   |  0  |  1  |       |  9  | ----------> | peer |     key-100:      100 at once   10,000
 *   +-----+-----+ - - - +-----+             |      |     unordered-100: 100 at once  10,000
 *   400,000 records of 100 B                +------+     unordered-200: 200 at once  20,000
 *   dealt to the keys in turn               each handler waits for 10 ms
 * </pre>
 */
final class ScenarioOrdering implements Scenario {
    private static final Topic KEYS = Topic.of("keys", 10, 400_000, 100, 100).dealt(Dealing.IN_TURN);
    private static final String[] UNORDERED = {
        "laneway-unordered", "parallel-consumer-unordered", "pekko", "reactor-kafka"
    };

    private static final Duration WORK = Duration.ofMillis(10);

    @Override
    public String name() {
        return "ordering";
    }

    @Override
    public String what() {
        return "10 partitions, 100 keys, 10 ms: what each order reaches of what Little's law allows (P3, P5)";
    }

    @Override
    public List<Published> published() {
        String source = "Instaclustr, Kafka Parallel Consumer, part 2, 2023: a laptop, Kafka 3.1.1";
        return List.of(
                new Published("Parallel Consumer, partition, 1 thread", "89 records/s of 100", source),
                new Published("Parallel Consumer, partition, 10 threads", "3.3 times that, of 1,000", source),
                new Published("Parallel Consumer, key, 100 threads", "54 times that, of 10,000", source),
                new Published("Parallel Consumer, unordered, 200 threads", "17,465 records/s of 20,000", source));
    }

    @Override
    public List<Case> cases(Size size) {
        return List.of(
                of("partition-1", size, 1, 1, "bare", "laneway-partition", "parallel-consumer-partition"),
                of("partition-10", size, 10, 10, "laneway-partition", "parallel-consumer-partition"),
                of("key-100", size, 100, 100, "laneway", "parallel-consumer"),
                of("unordered-100", size, 100, 100, UNORDERED),
                of("unordered-200", size, 200, 200, UNORDERED));
    }

    private static Case of(String name, Size size, int concurrency, int lanes, String... peers) {
        Topic topic = ScenarioPlain.scaled(KEYS, size);
        return Consume.waiting(name, topic, size, Commits.BATCH, WORK, concurrency, lanes, List.of(peers));
    }
}
