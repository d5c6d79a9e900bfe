package dev.laneway.bench.scenario;

import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Partitions that are unlike, shared out by count or by load: with how many members does the group keep up?
 *
 * <pre>
 *                        topic: 12 partitions          +----------+
 *   +-------------+      0: ###########          --->  | member 1 |  range:  partitions in blocks
 *   | sender:     | ---> 1: ###                        +----------+  sticky: as many each
 *   | 1,700/s,    |      2: #####                --->  | member 2 |  load:   as many records each
 *   | Zipf, s = 1 |      ...                           +----------+
 *   +-------------+     11: ##                   --->  | ... 4, 5, 6, 8, 12
 *                                                      +----------+
 *   a bare loop each, whose handler waits for 2 ms: at most about 480 records/s
 * </pre>
 */
final class ScenarioSkewedGroup implements Scenario {
    private static final Duration MEASURE = Duration.ofSeconds(10);
    private static final List<Integer> MEMBERS = List.of(4, 5, 6, 8, 12);

    @Override
    public String name() {
        return "skewed-group";
    }

    @Override
    public String what() {
        return "unlike partitions shared out by count or by load: latency with 4 to 12 members";
    }

    /** Fifteen arms of 18 seconds would make the whole bench too long. */
    @Override
    public boolean isByNameOnly() {
        return true;
    }

    @Override
    public List<Case> cases(Size size) {
        Duration measure = size.time(MEASURE);
        List<Case> cases = new ArrayList<>();
        for (int members : MEMBERS) {
            Map<String, String> params = Map.of(
                    "members",
                    Integer.toString(members),
                    "send-rate",
                    "1700",
                    "load-keys",
                    "1000",
                    "before",
                    "10000",
                    "work-us",
                    "2000",
                    "measure-ms",
                    Long.toString(measure.toMillis()));
            cases.add(new Case(
                    "members-" + members,
                    Topic.empty("skewed-group", 12),
                    Workloads.SKEWED_GROUP,
                    params,
                    List.of("bare", "bare-sticky", "bare-load"),
                    measure.plusSeconds(8)));
        }
        return cases;
    }
}
