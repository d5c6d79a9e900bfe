package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import java.time.Duration;
import java.util.List;

/**
 * Order by key when keys are not alike: key k gets a share in proportion to 1/(k+1)^s. A few keys are long, most are
 * short, and the long ones must not hold up the short ones.
 *
 * <pre>
 *   topic zipf: 10 partitions             +------+     key 0: ################ --> handler, 1 ms
 *   +-----+-----+ - - - +-----+           |      |     key 1: ########         --> handler, 1 ms
 *   |  0  |  1  |       |  9  | --------> | peer | --> key 2: #####            --> handler, 1 ms
 *   +-----+-----+ - - - +-----+           |      |     ...
 *   1 M records of 100 B, 100,000 keys    +------+     256 at once
 *   s = 0.8 and 1.2
 * </pre>
 */
public final class ScenarioZipf implements Scenario {
    private static final Topic EVEN = Topic.of("zipf", 10, 1_000_000, 100, 100_000);
    private static final Duration WORK = Duration.ofMillis(1);
    private static final int CONCURRENCY = 256;

    @Override
    public String name() {
        return "zipf";
    }

    @Override
    public String what() {
        return "skewed keys, handlers that wait for 1 ms, 256 at once: order by key under skew";
    }

    @Override
    public List<Case> cases(Size size) {
        return List.of(of("s0.8", 0.8, size), of("s1.2", 1.2, size));
    }

    private static Case of(String name, double skew, Size size) {
        Topic topic = ScenarioPlain.scaled(EVEN.withSkew(skew), size);
        return Consume.waiting(
                name,
                topic,
                size,
                Commits.BATCH,
                WORK,
                CONCURRENCY,
                topic.keys(),
                List.of("laneway", "laneway-unordered", "parallel-consumer"));
    }
}
