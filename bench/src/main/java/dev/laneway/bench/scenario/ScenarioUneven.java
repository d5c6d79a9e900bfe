package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import java.time.Duration;
import java.util.List;

/**
 * One partition with all records, beside others at their end. A broker holds a fetch that finds nothing for a while,
 * and a client has one fetch in flight at each broker: a fetch only for the partitions at their end leaves the other
 * one without records meanwhile.
 *
 * <pre>
 *   topic uneven: 6 partitions
 *   0: ##########################   +------+
 *   1:                              |      | --> key a --> handler     all keys are of partition 0,
 *   2:                              |      | --> key b --> handler     100,000 of them, drawn evenly
 *   3:                 -----------> | peer |     ...
 *   4:                              |      | --> key z --> handler
 *   5:                              +------+
 *   2 M records of 100 B; handlers that do nothing, and that wait for 10 ms, 1,000 at once
 * </pre>
 */
final class ScenarioUneven implements Scenario {
    /** A sixth of the keys belong to one partition. */
    private static final Topic UNEVEN =
            Topic.of("uneven", 6, 2_000_000, 100, 600_000).dealt(Dealing.ONE_PARTITION);

    private static final Duration WORK = Duration.ofMillis(10);
    private static final int CONCURRENCY = 1_000;

    @Override
    public String name() {
        return "uneven";
    }

    @Override
    public String what() {
        return "all records in one of 6 partitions, the others at their end: handlers that do nothing, and that wait";
    }

    @Override
    public List<Case> cases(Size size) {
        Topic topic = ScenarioPlain.scaled(UNEVEN, size);
        return List.of(
                Consume.of("no-op", topic, size, Commits.BATCH, List.of("bare", "laneway", "pekko", "reactor-kafka")),
                Consume.waiting(
                        "wait-1000",
                        topic,
                        size,
                        Commits.BATCH,
                        WORK,
                        CONCURRENCY,
                        topic.keys() / topic.partitions(),
                        List.of("laneway", "bare-vthreads")));
    }
}
