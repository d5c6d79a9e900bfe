package dev.laneway.bench.scenario;

import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Records that wait for their time: how late are they when it has come?
 *
 * <pre>
 *   10,000 records/s                               +------+
 *   +-----+-----+-----+-----+-----+-----+          |      |   any: each up to 12 s after it was sent
 *   |  0  |  1  |  2  |  3  |  4  |  5  | -------> | peer |   rising: each 3 s after it was sent
 *   +-----+-----+-----+-----+-----+-----+          |      |   retry: each fails once, and again up to 12 s later
 *                                                  +------+
 * </pre>
 *
 * <p>Many more wait than may be held to be worked on: small ones as here are set aside.
 */
final class ScenarioDelays implements Scenario {
    private static final long RECORDS = 100_000;
    private static final int SEND_RATE = 10_000;
    private static final int KEYS = 20_000;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Override
    public String name() {
        return "delays";
    }

    @Override
    public String what() {
        return "how late are records that wait for their time, or for their next attempt, when it has come?";
    }

    /** Each measures many records. */
    @Override
    public int runs(int usual) {
        return 1;
    }

    @Override
    public List<Case> cases(Size size) {
        return List.of(
                delay("any", size, Duration.ofSeconds(12)),
                delay("rising", size, Duration.ofSeconds(3)),
                delay("retry", size, Duration.ofSeconds(12)));
    }

    private static Case delay(String name, Size size, Duration longest) {
        Map<String, String> params = Map.of(
                "delay",
                name,
                "delay-ms",
                Long.toString(longest.toMillis()),
                "load",
                Long.toString(size.records(RECORDS)),
                "load-keys",
                Integer.toString(KEYS),
                "send-rate",
                Integer.toString(SEND_RATE),
                "limit-ms",
                Long.toString(LIMIT.toMillis()));
        Duration time = longest.plusMillis(1_000 * size.records(RECORDS) / SEND_RATE + 2_000);
        return new Case(name, Topic.empty("delays", 6), Workloads.DELAYS, params, List.of("laneway"), time);
    }
}
