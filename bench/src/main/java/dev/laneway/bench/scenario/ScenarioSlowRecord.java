package dev.laneway.bench.scenario;

import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Ten records that take a second each: how long does each need, and who is held up by whom? Then with one, the "Ever
 * Given", that takes five.
 *
 * <pre>
 *   +-------------+     1, 2 or 10 partitions     +------+     one lane for each partition, each key,
 *   | 0 1 2 ... 9 | --> +-----+ - - - +-----+ --> | peer | --> or each record; 1 s in each
 *   +-------------+     |  0  |       |  9  |     +------+
 *                       +-----+ - - - +-----+     10 at once, 1 in the first case
 *
 *   p1-one, p1-key, p2-partition, p10-partition, p10-unordered: ten keys
 *   p10-slow-unordered: record 5 takes 5 s;  p10-slow-two-keys: the same, and there are two keys only
 * </pre>
 */
final class ScenarioSlowRecord implements Scenario {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FIVE_SECONDS = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "slow-record";
    }

    @Override
    public String what() {
        return "ten records of 1 s of work each: when does each end, and in which order?";
    }

    @Override
    public List<Published> published() {
        String source = "Instaclustr, Kafka Parallel Consumer, part 2, 2023: Parallel Consumer, the longest latency";
        return List.of(
                new Published("p1-one", "10,013 ms", source),
                new Published("p2-partition", "5,857 ms", source),
                new Published("p10-partition", "2,898 ms", source),
                new Published("p1-key", "1,013 ms", source),
                new Published("p10-unordered", "1,032 ms", source),
                new Published("p10-slow-unordered", "5,011 ms, the others 1,018 ms", source),
                new Published("p10-slow-two-keys", "8,854 ms", source));
    }

    @Override
    public List<Case> cases(Size size) {
        String[] partition = {"laneway-partition", "parallel-consumer-partition"};
        String[] key = {"laneway", "parallel-consumer"};
        String[] unordered = {"laneway-unordered", "parallel-consumer-unordered"};
        return List.of(
                of("p1-one", size, 1, 10, 1, SECOND, partition),
                of("p2-partition", size, 2, 10, 10, SECOND, partition),
                of("p10-partition", size, 10, 10, 10, SECOND, partition),
                of("p1-key", size, 1, 10, 10, SECOND, key),
                of("p10-unordered", size, 10, 10, 10, SECOND, unordered),
                of("p10-slow-unordered", size, 10, 10, 10, FIVE_SECONDS, unordered),
                of("p10-slow-two-keys", size, 10, 2, 10, FIVE_SECONDS, key));
    }

    private static Case of(
            String name, Size size, int partitions, int keys, int concurrency, Duration slow, String... peers) {
        Map<String, String> params = Map.of(
                "trace-keys",
                Integer.toString(keys),
                "trace-work-ms",
                Long.toString(size.time(SECOND).toMillis()),
                "trace-slow-ms",
                Long.toString(size.time(slow).toMillis()),
                "concurrency",
                Integer.toString(concurrency));
        // The longest lane, when nine take a second and one is slow.
        int lanes = Math.min(concurrency, peers[0].endsWith("partition") ? partitions : keys);
        Duration arm = size.time(SECOND.multipliedBy((9 + lanes - 1) / lanes).plus(slow))
                .plusSeconds(2);
        return new Case(name, Topic.empty("trace", partitions), Workloads.TRACE, params, List.of(peers), arm);
    }
}
