package dev.laneway.testkit.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.jspecify.annotations.Nullable;

/** The request and the reply of a member that joins a classic group. */
final class SimJoin {
    private SimJoin() {}

    /** {@code protocols} holds the member's subscription under each assignor that it knows, best first. */
    record Request(
            String memberId,
            @Nullable String instanceId,
            String clientId,
            Map<String, Subscription> protocols,
            long sessionTimeoutNanos,
            long rebalanceTimeoutNanos) {

        static Request of(SimConsumerConfig config, SimSubscription subscription, String memberId, int generation) {
            Map<String, Subscription> protocols = new LinkedHashMap<>();
            for (ConsumerPartitionAssignor assignor : config.assignors()) {
                protocols.put(
                        assignor.name(),
                        new Subscription(
                                new ArrayList<>(subscription.topics()),
                                assignor.subscriptionUserData(subscription.topics()),
                                new ArrayList<>(subscription.partitions()),
                                generation,
                                Optional.empty()));
            }
            return new Request(
                    memberId,
                    config.instanceId(),
                    config.clientId(),
                    protocols,
                    config.sessionTimeoutNanos(),
                    config.maxPollIntervalNanos());
        }
    }

    /** {@code subscriptions} are there for the leader only; it assigns unless {@code keepAssignment}. */
    record Reply(
            int generation,
            String memberId,
            String protocol,
            boolean leader,
            boolean keepAssignment,
            Map<String, Subscription> subscriptions) {}
}
