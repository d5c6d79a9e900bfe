package dev.laneway.bench.scenario;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One setting of a scenario, in which peers are compared. Immutable.
 *
 * @param name within the scenario
 * @param topic what is read, or written
 * @param workload what an arm does, see {@code Workloads}
 * @param params the parameters of the workload
 * @param peers the names of those that are compared; the bare loop, where it is one of them, comes first
 * @param armTime about how long an arm takes, for the estimate of what is left
 */
public record Case(
        String name, Topic topic, String workload, Map<String, String> params, List<String> peers, Duration armTime) {
    /** The time that an arm may take beyond the expected one. */
    private static final Duration GRACE = Duration.ofSeconds(90);

    public Case {
        params = Map.copyOf(params);
        peers = List.copyOf(peers);
    }

    /** The time after which an arm is killed and counts as failed. */
    public Duration limit() {
        return armTime.multipliedBy(3).plus(GRACE);
    }

    public Case with(String name, Object value) {
        Map<String, String> more = new LinkedHashMap<>(params);
        more.put(name, value.toString());
        return new Case(this.name, topic, workload, more, peers, armTime);
    }

    Case withPeers(List<String> newPeers) {
        return new Case(name, topic, workload, params, newPeers, armTime);
    }

    Case taking(Duration newArmTime) {
        return new Case(name, topic, workload, params, peers, newArmTime);
    }
}
