package dev.laneway.testkit.sim;

import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer's side of its membership in a group. All of it happens in {@link #poll} and {@link #leave}, on the
 * caller's thread.
 */
sealed interface SimMember permits SimClassicMember, SimConsumerMember {
    /**
     * Continues joining and rebalancing as far as possible without waiting, and calls the rebalance listener when due.
     */
    void poll();

    /** Whether {@link #poll} would have something to do now. */
    boolean hasNews();

    /** Gives up all partitions, with the callbacks, and leaves unless the operation says otherwise. */
    void leave(CloseOptions.GroupMembershipOperation operation);

    /** Stops without notice to the group, as a process that is killed. */
    void kill();

    /**
     * The identity that a commit is sent with. Throws what Kafka's client throws if it knows that a commit cannot
     * succeed.
     */
    SimMembers.Identity identity();

    /** Turns the coordinator's error into the one that the application sees, and updates the membership. */
    RuntimeException commitError(RuntimeException answer, SimMembers.Identity sent, boolean synchronous);

    ConsumerGroupMetadata metadata();

    /** Asks for a rebalance. */
    void requestRejoin();

    /** Calls a rebalance listener: with partitions in order; an exception is kept until the rebalance is over. */
    final class Callbacks {
        private final SimBroker broker;
        private final String clientId;
        private final SimSubscription subscription;

        Callbacks(SimBroker broker, String clientId, SimSubscription subscription) {
            this.broker = broker;
            this.clientId = clientId;
            this.subscription = subscription;
        }

        @Nullable
        RuntimeException revoked(Collection<TopicPartition> partitions) {
            return call("revoked", partitions, ConsumerRebalanceListener::onPartitionsRevoked);
        }

        @Nullable
        RuntimeException assigned(Collection<TopicPartition> partitions) {
            return call("assigned", partitions, ConsumerRebalanceListener::onPartitionsAssigned);
        }

        @Nullable
        RuntimeException lost(Collection<TopicPartition> partitions) {
            return call("lost", partitions, ConsumerRebalanceListener::onPartitionsLost);
        }

        private interface Method {
            void call(ConsumerRebalanceListener listener, Collection<TopicPartition> partitions);
        }

        private @Nullable RuntimeException call(String what, Collection<TopicPartition> partitions, Method method) {
            SortedSet<TopicPartition> sorted = new TreeSet<>(SimBroker.PARTITIONS);
            sorted.addAll(partitions);
            broker.trace().event("callback", clientId, what, sorted);
            ConsumerRebalanceListener listener = subscription.listener();
            if (listener == null) {
                return null;
            }
            try {
                method.call(listener, sorted);
                return null;
            } catch (WakeupException | InterruptException e) {
                throw e;
            } catch (RuntimeException e) {
                return e;
            }
        }

        static void raise(@Nullable RuntimeException error) {
            if (error instanceof KafkaException kafka) {
                throw kafka;
            }
            if (error != null) {
                throw new KafkaException("User rebalance callback throws an error", error);
            }
        }
    }
}
