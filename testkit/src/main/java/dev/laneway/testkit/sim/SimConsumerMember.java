package dev.laneway.testkit.sim;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedMemberEpochException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;

/**
 * Membership under {@code group.protocol=consumer} (KIP-848). The clock sends heartbeats, as a background thread does
 * in Kafka's client; {@link #poll} carries out their answers: revoke, then assign, then acknowledge with the next
 * heartbeat.
 */
final class SimConsumerMember implements SimMember {
    private final SimBroker broker;
    private final SimConsumerConfig config;
    private final String group;
    private final SimConnection connection;
    private final SimSubscription subscription;
    private final Runnable autoCommit;
    private final Callbacks callbacks;
    private final String memberId;

    private State state = State.OUTSIDE;
    private int epoch;
    private ConsumerGroupMetadata metadata;
    private @Nullable Set<TopicPartition> target;
    private @Nullable Set<TopicPartition> current;
    private List<String> sentTopics = List.of();
    private @Nullable Set<TopicPartition> sentOwned;
    private @Nullable KafkaException fatal;
    private @Nullable SimTimer heartbeat;
    private boolean heartbeatUnderWay;
    private boolean heartbeatDue;
    private boolean reconciling;
    private long lastPollNanos;

    private enum State {
        /** Not in the group, by choice. */
        OUTSIDE,
        /** In the group, or on the way in. */
        MEMBER,
        /**
         * Thrown out, or left because of max.poll.interval.ms: the partitions are lost and the listener has not heard
         * of it.
         */
        LOST
    }

    SimConsumerMember(
            SimBroker broker,
            SimConsumerConfig config,
            String group,
            SimConnection connection,
            SimSubscription subscription,
            Runnable autoCommit) {
        this.broker = broker;
        this.config = config;
        this.group = group;
        this.connection = connection;
        this.subscription = subscription;
        this.autoCommit = autoCommit;
        this.callbacks = new Callbacks(broker, config.clientId(), subscription);
        this.memberId = "member-" + config.clientId() + "-" + broker.nextMemberNumber();
        this.metadata = noMember();
    }

    private ConsumerGroupMetadata noMember() {
        return SimConsumerBase.groupMetadata(group, -1, "", config.instanceId());
    }

    @Override
    public void poll() {
        lastPollNanos = broker.clock().nanoTime();
        if (fatal != null) {
            throw fatal;
        }
        subscription.refresh(broker.topicNames());
        if (state == State.LOST) {
            lose();
        }
        if (state == State.OUTSIDE) {
            state = State.MEMBER;
            join();
        }
        if (!sentTopics.equals(List.copyOf(subscription.topics()))) {
            beatNow();
        }
        while (state == State.MEMBER && target != null && !reconciling) {
            Set<TopicPartition> goal = target;
            if (!goal.equals(current)) {
                reconcile(goal);
            }
            if (goal.equals(target)) {
                target = null;
            }
            if (state == State.MEMBER) {
                beatNow();
            }
        }
    }

    @Override
    public boolean hasNews() {
        return fatal != null || state == State.LOST || target != null;
    }

    private void lose() {
        state = State.OUTSIDE;
        List<TopicPartition> owned = List.copyOf(subscription.partitions());
        RuntimeException error = owned.isEmpty() ? null : callbacks.lost(owned);
        subscription.replace(List.of());
        Callbacks.raise(error);
    }

    private void join() {
        epoch = SimConsumerGroup.JOIN;
        target = null;
        current = null;
        sentOwned = null;
        beatNow();
    }

    /** Carries out an assignment. If a callback throws, poll throws it, and the next poll tries the step again. */
    private void reconcile(Set<TopicPartition> goal) {
        Set<TopicPartition> owned = subscription.partitions();
        Set<TopicPartition> added = new TreeSet<>(SimBroker.PARTITIONS);
        added.addAll(goal);
        added.removeAll(owned);
        List<TopicPartition> revoked =
                owned.stream().filter(partition -> !goal.contains(partition)).toList();
        reconciling = true;
        try {
            subscription.hold(revoked, true);
            if (config.autoCommit()) {
                autoCommit.run();
            }
            if (!revoked.isEmpty()) {
                Callbacks.raise(callbacks.revoked(revoked));
            }
            if (state != State.MEMBER) {
                return;
            }
            subscription.replace(goal);
            subscription.hold(added, true);
            Callbacks.raise(callbacks.assigned(added));
            subscription.hold(goal, false);
            current = goal;
        } finally {
            reconciling = false;
        }
    }

    private void beatNow() {
        if (heartbeat != null) {
            heartbeat.cancel();
        }
        if (heartbeatUnderWay) {
            heartbeatDue = true;
        } else {
            sendHeartbeat();
        }
    }

    private void tick() {
        if (state != State.MEMBER) {
            return;
        }
        if (broker.clock().nanoTime() - lastPollNanos > config.maxPollIntervalNanos()) {
            broker.trace().event("max-poll-interval-exceeded", memberId);
            sendLeave(config.instanceId() == null ? SimConsumerGroup.LEAVE : SimConsumerGroup.LEAVE_FOR_NOW);
            state = State.LOST;
            epoch = SimConsumerGroup.LEAVE;
            return;
        }
        beatNow();
    }

    private void sendHeartbeat() {
        heartbeatUnderWay = true;
        heartbeatDue = false;
        sentTopics = List.copyOf(subscription.topics());
        Set<TopicPartition> owned = new TreeSet<>(SimBroker.PARTITIONS);
        owned.addAll(subscription.partitions());
        boolean news = epoch == SimConsumerGroup.JOIN || !owned.equals(sentOwned);
        sentOwned = owned;
        SimConsumerGroup.Heartbeat beat = new SimConsumerGroup.Heartbeat(
                memberId, config.instanceId(), epoch, sentTopics, news ? owned : null, config.maxPollIntervalNanos());
        connection.ask(SimOp.HEARTBEAT, () -> broker.coordinated(group).modern().heartbeat(beat), (reply, error) -> {
            heartbeatUnderWay = false;
            if (state == State.MEMBER) {
                answered(reply, error);
            }
        });
    }

    private void answered(SimConsumerGroup.@Nullable Reply reply, @Nullable RuntimeException failure) {
        long next = broker.consumerHeartbeatNanos();
        if (failure != null) {
            sentOwned = null;
            if (failure instanceof UnknownMemberIdException || failure instanceof FencedMemberEpochException) {
                broker.trace().event("fenced", memberId, failure.getClass().getSimpleName());
                state = State.LOST;
                epoch = SimConsumerGroup.JOIN;
                return;
            }
            if (!(failure instanceof RetriableException)) {
                fatal = failure instanceof KafkaException kafka ? kafka : new KafkaException(failure);
                return;
            }
            next = config.retryBackoffNanos();
        } else if (reply != null) {
            epoch = reply.epoch();
            metadata = SimConsumerBase.groupMetadata(group, epoch, memberId, config.instanceId());
            if (reply.assignment() != null) {
                target = reply.assignment();
            }
        }
        if (heartbeatDue) {
            sendHeartbeat();
        } else {
            heartbeat = broker.clock().schedule(next, this::tick);
        }
    }

    @Override
    public void leave(CloseOptions.GroupMembershipOperation operation) {
        List<TopicPartition> dropped = List.copyOf(subscription.partitions());
        RuntimeException error = null;
        if (subscription.isGroupManaged() && !dropped.isEmpty()) {
            error = state == State.MEMBER && epoch > 0 ? callbacks.revoked(dropped) : callbacks.lost(dropped);
            subscription.replace(List.of());
        }
        if (state == State.MEMBER) {
            boolean isStatic = config.instanceId() != null;
            switch (operation) {
                case LEAVE_GROUP -> sendLeave(SimConsumerGroup.LEAVE);
                case DEFAULT -> sendLeave(isStatic ? SimConsumerGroup.LEAVE_FOR_NOW : SimConsumerGroup.LEAVE);
                case REMAIN_IN_GROUP -> {
                    if (isStatic) {
                        sendLeave(SimConsumerGroup.LEAVE_FOR_NOW);
                    }
                }
            }
        }
        kill();
        metadata = noMember();
        Callbacks.raise(error);
    }

    private void sendLeave(int leaveEpoch) {
        SimConsumerGroup.Heartbeat beat =
                new SimConsumerGroup.Heartbeat(memberId, config.instanceId(), leaveEpoch, List.of(), null, 0);
        connection.tell(SimOp.LEAVE, () -> broker.coordinated(group).modern().heartbeat(beat));
    }

    @Override
    public void kill() {
        if (heartbeat != null) {
            heartbeat.cancel();
        }
        state = State.OUTSIDE;
        epoch = SimConsumerGroup.LEAVE;
        target = null;
        sentTopics = List.of();
    }

    @Override
    public SimMembers.Identity identity() {
        return state == State.MEMBER && epoch > 0
                ? new SimMembers.Identity(memberId, epoch, config.instanceId())
                : SimMembers.Identity.NONE;
    }

    @Override
    public RuntimeException commitError(RuntimeException answer, SimMembers.Identity sent, boolean synchronous) {
        if (answer instanceof UnknownMemberIdException) {
            return new CommitFailedException("OffsetCommit failed with unknown member ID. " + answer.getMessage());
        }
        if (answer instanceof StaleMemberEpochException && synchronous) {
            return new CommitFailedException("OffsetCommit failed with stale member epoch. " + answer.getMessage());
        }
        return answer;
    }

    @Override
    public ConsumerGroupMetadata metadata() {
        return metadata;
    }

    /** Kafka's client ignores it too under this protocol: the broker decides. */
    @Override
    public void requestRejoin() {}
}
