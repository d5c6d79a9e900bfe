package dev.laneway.bench.scenario;

import dev.laneway.Options;
import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The handler of one key hangs, and all other keys go on: how much slower are they, what does it cost, and what comes
 * of the key's own records when it is released?
 *
 * <pre>
 *   topic: 6 partitions, 1.5 M records             +------+ --> key 0: hangs from its first record on
 *   +-----+-----+-----+-----+-----+-----+          |      | --> key 1     --> handler: counts, or waits
 *   |  0  |  1  |  2  |  3  |  4  |  5  | -------> | peer |     ...           for 1 ms
 *   +-----+-----+-----+-----+-----+-----+          +------+ --> key 20000     1,000 at once
 *   1 % of the records are of key 0                   |
 *                                                     +-- read again when key 0 is released
 * </pre>
 *
 * <p>slow-key: key 0 takes 1 ms for each record, one after the other, and the others take no time.
 *
 * <p>restart: 600 of 2,400 keys are stuck, and all other records of 2 M done (of 14 M with --scale 7); kill -9, some
 * new records, and a new process beside the same stuck keys.
 *
 * <p>released: 600 of 1,200 keys are stuck and released one after the other, while 80,000 records/s come in.
 */
final class ScenarioStuckKey implements Scenario {
    /** With key 0, which is none of them. */
    private static final int KEYS = 20_001;

    private static final Topic TOPIC =
            Topic.of("stuck", 6, 1_500_000, 100, KEYS).dealt(Dealing.ONE_IN_A_HUNDRED);
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int CONCURRENCY = 1_000;

    private static final int STUCK_KEYS = 600;
    /** With those that are stuck, which have a quarter of the records: more than fit into the budgets. */
    private static final int RESTARTED_KEYS = 2_400;

    private static final long RESTARTED = 2_000_000;
    /** With those that are stuck, which have half of the records. */
    private static final int RELEASED_KEYS = 1_200;

    private static final long RELEASED = 800_000;
    private static final int SEND_RATE = 80_000;

    @Override
    public String name() {
        return "stuck-key";
    }

    @Override
    public String what() {
        return "one key hangs, with 1 % of the records: how fast are the others (P14), and what comes of the key?";
    }

    /** An arm has laps with and without the stuck key in turns. */
    @Override
    public int runs(int usual) {
        return 1;
    }

    @Override
    public List<Case> cases(Size size) {
        Topic topic = ScenarioPlain.scaled(TOPIC, size);
        Map<String, String> params = Map.of(
                "stuck-records",
                Long.toString(Math.ceilDiv(topic.records(), Dealing.HUNDRED)),
                "concurrency",
                Integer.toString(CONCURRENCY),
                "limit-ms",
                Long.toString(LIMIT.toMillis()),
                "budget-bytes",
                Long.toString(Options.DEFAULTS.bufferBytes()));
        Topic empty = Topic.empty("stuck-live", topic.partitions());
        List<String> peers = List.of("laneway", "parallel-consumer");
        return List.of(
                new Case("no-op", topic, Workloads.STUCK_KEY, params, peers, Duration.ofSeconds(27)).with("pairs", 6),
                new Case("wait-1ms", topic, Workloads.STUCK_KEY, params, List.of("laneway"), Duration.ofSeconds(22))
                        .with("pairs", 2)
                        .with("others-us", 1_000),
                new Case(
                                "restart",
                                empty,
                                Workloads.STUCK_RESTART,
                                params,
                                List.of("laneway", "parallel-consumer"),
                                Duration.ofSeconds(33))
                        .with("load", size.records(RESTARTED))
                        .with("load-keys", RESTARTED_KEYS)
                        .with("stuck-keys", STUCK_KEYS),
                new Case("released", empty, Workloads.RELEASED_KEYS, params, List.of("laneway"), Duration.ofSeconds(13))
                        .with("load", size.records(RELEASED))
                        .with("load-keys", RELEASED_KEYS)
                        .with("stuck-keys", STUCK_KEYS)
                        .with("send-rate", SEND_RATE),
                new Case("slow-key", topic, Workloads.SLOW_KEY, params, List.of("laneway"), Duration.ofSeconds(20))
                        .with("slow-us", 1_000));
    }
}
