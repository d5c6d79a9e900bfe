package dev.laneway.bench.scenario;

import dev.laneway.bench.measure.Commits;
import java.time.Duration;
import java.util.List;

/**
 * The cost of order by key with very many keys: with handlers that do nothing, where only the library's own work is
 * left, and with handlers that wait.
 *
 * <pre>
 *   6 partitions (10 where handlers wait)          +------+      key a  --> handler
 *   +-----+-----+ - - - +-----+                    |      | -->  key b  --> handler     100,000 keys,
 *   |  0  |  1  |       |  5  | -----------------> | peer |      ...                    drawn evenly
 *   +-----+-----+ - - - +-----+    <-- commits --  |      | -->  key z  --> handler
 *                                                  +------+
 *   t512: 1 M records of 512 B; t100: 4 M of 100 B; no-op handlers, default options
 *   wait-1000, wait-10000: each handler waits for 10 ms, so many at once
 * </pre>
 *
 * <p>The bare loop commits after each poll, as {@code bare}, or is set as Laneway is, as {@code bare-interval}: it
 * commits once a second and has the same receive buffer. P1 is Laneway's share of the better of the two.
 *
 * <p>Peers without order by key keep the whole stream in order, or no order. Their notes say which.
 */
final class ScenarioManyKeys implements Scenario {
    static final Topic T100 = Topic.of("t100", 6, 4_000_000, 100, 100_000);
    private static final Topic WAITING = Topic.of("wait", 10, 3_000_000, 100, 100_000);
    private static final Duration WORK = Duration.ofMillis(10);
    private static final List<String> ORDERED = List.of(
            "bare",
            "bare-interval",
            "laneway",
            "laneway-unordered",
            "laneway-partition",
            "parallel-consumer",
            "parallel-consumer-unordered",
            "parallel-consumer-partition");
    /**
     * Pekko and Kafka Streams are measured with commits on t512, in at-least-once. Parallel Consumer is as slow with
     * values of any size.
     */
    private static final List<String> SMALL =
            List.of("bare", "bare-interval", "laneway", "laneway-unordered", "laneway-partition", "reactor-kafka");

    private static final List<String> QUICK =
            List.of("bare", "bare-interval", "laneway", "parallel-consumer", "pekko", "reactor-kafka");

    private static final List<String> WAITERS = List.of(
            "bare",
            "laneway",
            "laneway-unordered",
            "bare-vthreads",
            "parallel-consumer",
            "parallel-consumer-unordered",
            "parallel-consumer-reactor",
            "parallel-consumer-vertx",
            "pekko",
            "reactor-kafka");
    /** Parallel Consumer uses platform threads and does not start 10,000 of them in time. */
    private static final List<String> MANY_WAITERS = List.of(
            "bare",
            "laneway",
            "laneway-unordered",
            "bare-vthreads",
            "parallel-consumer-reactor",
            "pekko",
            "reactor-kafka");

    @Override
    public String name() {
        return "many-keys";
    }

    @Override
    public String what() {
        return "100,000 keys with commits: handlers that do nothing (P1), and that wait for 10 ms (P3, P4)";
    }

    @Override
    public List<Published> published() {
        String source = "taken on a machine of two cores with a driver of its own, Kafka 4.3.1, November 2026";
        return List.of(
                new Published("kpipe 1.18, by key, commits on, t512", "0.29 of bare after warm-up", source),
                new Published("kpipe 1.18, by key, commits on, t100", "0.13 of bare after warm-up", source),
                new Published("kpipe 1.18, by key, 10 ms, 10,000 at once", "53,000 records/s", source));
    }

    @Override
    public List<Case> cases(Size size) {
        Topic waiting = ScenarioPlain.scaled(WAITING, size);
        return List.of(
                Consume.of("t512", ScenarioPlain.scaled(ScenarioPlain.T512, size), size, Commits.BATCH, ORDERED),
                Consume.of("t100", ScenarioPlain.scaled(T100, size), size, Commits.BATCH, SMALL),
                Consume.waiting("wait-1000", waiting, size, Commits.BATCH, WORK, 1_000, waiting.keys(), WAITERS),
                Consume.waiting(
                        "wait-10000", waiting, size, Commits.BATCH, WORK, 10_000, waiting.keys(), MANY_WAITERS));
    }

    @Override
    public List<Case> quickCases(Size size) {
        return List.of(Consume.quick(cases(size).getFirst().withPeers(QUICK), size));
    }
}
