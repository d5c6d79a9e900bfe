package dev.laneway.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;

/** The assignors that members of a classic group support, and those that all have in common. */
final class SimProtocols {
    private SimProtocols() {}

    static void requireCommon(String group, Map<String, Subscription> wanted, Map<String, Subscription> present) {
        if (wanted.keySet().stream().noneMatch(present::containsKey)) {
            throw new InconsistentGroupProtocolException(
                    "no assignor of " + wanted.keySet() + " is known to all members of " + group
                            + ": give all members one partition.assignment.strategy in common");
        }
    }

    static String common(List<Map<String, Subscription>> all) {
        List<String> common = new ArrayList<>(all.getFirst().keySet());
        all.forEach(one -> common.retainAll(one.keySet()));
        return common.getFirst();
    }

    static boolean sameTopics(Map<String, Subscription> a, Map<String, Subscription> b) {
        return a.keySet().equals(b.keySet())
                && a.keySet().stream()
                        .allMatch(name ->
                                get(a, name).topics().equals(get(b, name).topics()));
    }

    /** Whether a member subscribes to exactly what it did before: then a follower's rejoin starts no rebalance. */
    static boolean same(Map<String, Subscription> a, Map<String, Subscription> b) {
        return sameTopics(a, b)
                && a.keySet().stream().allMatch(name -> {
                    Subscription left = get(a, name);
                    Subscription right = get(b, name);
                    return left.ownedPartitions().equals(right.ownedPartitions())
                            && left.generationId().equals(right.generationId())
                            && Objects.equals(left.userData(), right.userData());
                });
    }

    private static Subscription get(Map<String, Subscription> protocols, String name) {
        return Objects.requireNonNull(protocols.get(name));
    }
}
