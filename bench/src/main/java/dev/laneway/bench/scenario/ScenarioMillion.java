package dev.laneway.bench.scenario;

import dev.laneway.Options;
import dev.laneway.bench.measure.Commits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How many of a million records per second one machine handles if each takes 10 ms. By Little's law that needs 10,000
 * at once; one thread per partition would need as many partitions.
 *
 * <pre>
 *   topic wait: 10 partitions             +------+
 *   +-----+-----+ - - - +-----+           |      | --> handler, 10 ms  \
 *   |  0  |  1  |       |  9  | --------> | peer | --> handler, 10 ms   |  1,000, 10,000
 *   +-----+-----+ - - - +-----+           |      | --> ...              |  or 50,000 at once
 *   3 M records of 100 B, 100,000 keys    +------+ --> handler, 10 ms  /
 * </pre>
 */
public final class ScenarioMillion implements Scenario {
    public static final int KEYS = 100_000;
    public static final List<Integer> CONCURRENCIES = List.of(1_000, 10_000, 50_000);

    private static final Topic WAITING = Topic.of("wait", 10, 3_000_000, 100, KEYS);
    private static final Duration WORK = Duration.ofMillis(10);

    /** The records that Laneway may hold: 32 for each handler at once, or what its byte budget allows. */
    public static long held(int concurrency) {
        return Math.min(32L * concurrency, Options.DEFAULTS.bufferBytes() / WAITING.size());
    }

    @Override
    public String name() {
        return "million";
    }

    @Override
    public String what() {
        return "10 ms of waiting at concurrency 1,000, 10,000 and 50,000: how far to a million records/s";
    }

    @Override
    public List<Published> published() {
        return List.of(new Published(
                "model of Parallel Consumer, key, 10 ms",
                "1,000,000 records/s by 10 consumers of 1,000 threads, 100 partitions",
                "Instaclustr, Kafka Parallel Consumer, part 2, 2023: Little's law, not measured"));
    }

    @Override
    public List<Case> cases(Size size) {
        List<Case> cases = new ArrayList<>();
        Topic topic = ScenarioPlain.scaled(WAITING, size);
        for (int concurrency : CONCURRENCIES) {
            // Parallel Consumer's threads are those of the system: 10,000 of them are more than it starts in time.
            List<String> peers = concurrency == 1_000
                    ? List.of("laneway", "parallel-consumer-unordered")
                    : List.of("laneway", "parallel-consumer-reactor");
            cases.add(Consume.waiting(
                    "at-" + concurrency, topic, size, Commits.BATCH, WORK, concurrency, topic.keys(), peers));
        }
        return cases;
    }
}
