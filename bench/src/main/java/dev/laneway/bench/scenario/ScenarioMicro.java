package dev.laneway.bench.scenario;

import dev.laneway.bench.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The parts of the engine by themselves, by JMH: one benchmark in each arm, whose fresh JVM is JMH's fork.
 *
 * <pre>
 *   offset-window    add and remove, 1,000 in flight, ended in a shuffled order
 *   map-encode       the map of 1,000 undone offsets, every second one done      OffsetWindow ---> text of a commit
 *   map-decode       and back                                                    OffsetWindow <--- text of a commit
 *   key-hash         the hash of a key of 8 bytes
 *   lane-look-up     hash, find, and a miss in nine of ten: 100,000 keys, 10,000 of them busy
 *   engine           a record through the engine, replayed from memory, see ScenarioCost
 * </pre>
 *
 * <p>{@code ns_per_op} is an offset, a map, a key or a record; the bytes are those of JMH's {@code gc} profiler.
 */
public final class ScenarioMicro implements Scenario {
    public static final List<String> NAMES =
            List.of("offset-window", "map-encode", "map-decode", "key-hash", "lane-look-up", "engine");

    private static final Duration MEASURE = Duration.ofMillis(300);

    @Override
    public String name() {
        return "micro";
    }

    @Override
    public String what() {
        return "parts of the engine by themselves, by JMH: offset window, offset map, keys and lanes, the engine on a"
                + " replay";
    }

    @Override
    public List<Case> cases(Size size) {
        Duration iteration = size.time(MEASURE);
        return NAMES.stream()
                .map(name -> new Case(
                        name,
                        Topic.empty("micro", 1),
                        Workloads.MICRO,
                        Map.of("benchmark", name, "iteration-ms", Long.toString(iteration.toMillis())),
                        List.of("laneway"),
                        iteration.multipliedBy(10).plusSeconds(2)))
                .toList();
    }
}
