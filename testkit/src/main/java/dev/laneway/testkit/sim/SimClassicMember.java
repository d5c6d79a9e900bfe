package dev.laneway.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;

/**
 * Membership under the classic protocol, eager or cooperative, with Kafka's own assignors. The steps are those of
 * Kafka's ConsumerCoordinator: prepare (revoke or lose), join, sync, complete (cooperative: revoke the rest; assign). A
 * poll that cannot go on returns; the next one continues.
 */
final class SimClassicMember implements SimMember {
    private static final int NO_GENERATION = -1;

    private final SimBroker broker;
    private final SimConsumerConfig config;
    private final String group;
    private final SimConnection connection;
    private final SimSubscription subscription;
    private final Runnable autoCommit;
    private final Callbacks callbacks;
    private final RebalanceProtocol protocol;
    private final SimLeader leader;

    private State state = State.UNJOINED;
    private String memberId = "";
    private int generation = NO_GENERATION;
    private ConsumerGroupMetadata metadata;
    private boolean rejoin = true;
    private boolean prepared;
    private @Nullable CompletableFuture<SimJoin.Reply> joining;
    private @Nullable CompletableFuture<Assignment> syncing;
    private @Nullable String assignorName;
    private @Nullable Set<String> joinedTopics;
    private @Nullable KafkaException fatal;
    private @Nullable SimTimer heartbeat;
    private boolean heartbeatUnderWay;
    private long lastPollNanos;
    private long retryNanos;

    private enum State {
        UNJOINED,
        PREPARING,
        COMPLETING,
        STABLE
    }

    SimClassicMember(
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
        this.protocol = config.rebalanceProtocol();
        this.leader = new SimLeader(broker);
        this.metadata = SimConsumerBase.groupMetadata(group, NO_GENERATION, "", config.instanceId());
    }

    @Override
    public void poll() {
        lastPollNanos = broker.clock().nanoTime();
        KafkaException failure = fatal;
        if (failure != null) {
            // Thrown once, as by Kafka's client: if the member polls again, it joins again and fences the other one.
            fatal = null;
            throw failure;
        }
        subscription.refresh(broker.topicNames());
        while (rejoinNeeded()) {
            if (!prepared) {
                prepared = true;
                prepare();
            }
            if (!advance()) {
                return;
            }
        }
    }

    @Override
    public boolean hasNews() {
        if (joining != null) {
            return joining.isDone();
        }
        if (syncing != null) {
            return syncing.isDone();
        }
        return fatal != null || (rejoinNeeded() && broker.clock().nanoTime() >= retryNanos);
    }

    private boolean rejoinNeeded() {
        boolean subscriptionChanged = joinedTopics != null && !joinedTopics.equals(subscription.topics());
        return rejoin || joining != null || syncing != null || subscriptionChanged || leader.partitionsChanged();
    }

    /** One step of the join; false if an answer is not there yet. */
    private boolean advance() {
        if (syncing != null) {
            CompletableFuture<Assignment> sync = syncing;
            RuntimeException failure = SimFutures.failure(sync);
            return failure != null ? failed(failure) : sync.isDone() && completeSync(sync.resultNow());
        }
        if (joining != null) {
            CompletableFuture<SimJoin.Reply> join = joining;
            RuntimeException failure = SimFutures.failure(join);
            return failure != null ? failed(failure) : join.isDone() && completeJoin(join.resultNow());
        }
        return startJoin();
    }

    private boolean failed(RuntimeException failure) {
        switch (failure) {
            case UnknownMemberIdException e -> again(() -> reset(true));
            case IllegalGenerationException e -> again(() -> reset(false));
            case RebalanceInProgressException e -> again(() -> {});
            case RetriableException e -> again(this::backOff);
            case FencedInstanceIdException e -> {
                again(() -> reset(true));
                throw e;
            }
            default -> {
                again(() -> {});
                throw failure;
            }
        }
        return true;
    }

    private void backOff() {
        retryNanos = broker.clock().nanoTime() + config.retryBackoffNanos();
        // An event on the clock, so that a driver that moves from event to event stops here.
        broker.clock().schedule(config.retryBackoffNanos(), () -> {});
    }

    private void again(Runnable conclusion) {
        joining = null;
        syncing = null;
        rejoin = true;
        conclusion.run();
    }

    private void prepare() {
        if (config.autoCommit()) {
            autoCommit.run();
        }
        List<TopicPartition> owned = new ArrayList<>(subscription.partitions());
        RuntimeException error = null;
        if (generation == NO_GENERATION || memberId.isEmpty()) {
            if (!owned.isEmpty()) {
                error = callbacks.lost(owned);
                subscription.replace(List.of());
            }
        } else if (protocol == RebalanceProtocol.EAGER) {
            error = callbacks.revoked(owned);
            subscription.replace(List.of());
        } else {
            List<TopicPartition> unwanted = owned.stream()
                    .filter(partition -> !subscription.topics().contains(partition.topic()))
                    .toList();
            if (!unwanted.isEmpty()) {
                error = callbacks.revoked(unwanted);
                owned.removeAll(unwanted);
                subscription.replace(owned);
            }
        }
        leader.resign();
        if (error != null) {
            throw new KafkaException("User rebalance callback throws an error", error);
        }
    }

    private boolean startJoin() {
        if (broker.clock().nanoTime() < retryNanos) {
            return false;
        }
        state = State.PREPARING;
        joinedTopics = new TreeSet<>(subscription.topics());
        SimJoin.Request request = SimJoin.Request.of(config, subscription, memberId, generation);
        joining = connection.call(
                SimOp.JOIN, () -> broker.coordinated(group).classic().join(request));
        return true;
    }

    private boolean completeJoin(SimJoin.Reply reply) {
        joining = null;
        state = State.COMPLETING;
        memberId = reply.memberId();
        generation = reply.generation();
        assignorName = reply.protocol();
        scheduleHeartbeat();
        Map<String, Assignment> assignments =
                reply.leader() && !reply.keepAssignment() ? leader.assign(assignor(), reply.subscriptions()) : null;
        SimMembers.Identity self = self();
        syncing = connection.call(
                SimOp.SYNC, () -> broker.coordinated(group).classic().sync(self, assignments));
        return true;
    }

    private ConsumerPartitionAssignor assignor() {
        return config.assignors().stream()
                .filter(assignor -> assignor.name().equals(assignorName))
                .findFirst()
                .orElseThrow();
    }

    /** If a callback is woken up, the same answer is completed again by the next poll, as in Kafka's client. */
    private boolean completeSync(Assignment assignment) {
        if (state == State.COMPLETING) {
            state = State.STABLE;
            rejoin = false;
        } else if (state != State.STABLE) {
            // A heartbeat has shown meanwhile that this generation is over.
            again(() -> {});
            return true;
        }
        metadata = SimConsumerBase.groupMetadata(group, generation, memberId, config.instanceId());
        Set<TopicPartition> next = new TreeSet<>(SimBroker.PARTITIONS);
        next.addAll(assignment.partitions());
        Set<TopicPartition> added = new TreeSet<>(SimBroker.PARTITIONS);
        added.addAll(next);
        added.removeAll(subscription.partitions());
        RuntimeException error = null;
        if (protocol == RebalanceProtocol.COOPERATIVE) {
            List<TopicPartition> revoked = subscription.partitions().stream()
                    .filter(partition -> !next.contains(partition))
                    .toList();
            if (!revoked.isEmpty()) {
                error = callbacks.revoked(revoked);
                rejoin = true;
            }
        }
        assignor().onAssignment(assignment, metadata);
        subscription.replace(next);
        RuntimeException second = callbacks.assigned(added);
        Callbacks.raise(error == null ? second : error);
        syncing = null;
        prepared = false;
        return true;
    }

    private void scheduleHeartbeat() {
        if (heartbeat == null || !heartbeat.isPending()) {
            heartbeat = broker.clock().schedule(config.heartbeatNanos(), this::beat);
        }
    }

    /** What Kafka's heartbeat thread does. */
    private void beat() {
        if (state == State.UNJOINED || fatal != null) {
            return;
        }
        scheduleHeartbeat();
        if (state == State.PREPARING || heartbeatUnderWay) {
            return;
        }
        if (broker.clock().nanoTime() - lastPollNanos > config.maxPollIntervalNanos()) {
            broker.trace().event("max-poll-interval-exceeded", memberId);
            sendLeave();
            reset(true);
            return;
        }
        heartbeatUnderWay = true;
        SimMembers.Identity self = self();
        connection.ask(
                SimOp.HEARTBEAT,
                () -> {
                    broker.coordinated(group).classic().heartbeat(self);
                    return true;
                },
                (ok, error) -> {
                    heartbeatUnderWay = false;
                    if (error != null && self.generation() == generation) {
                        heartbeatFailed(error);
                    }
                });
    }

    private void heartbeatFailed(RuntimeException error) {
        if (error instanceof RebalanceInProgressException) {
            if (state == State.STABLE) {
                rejoin = true;
            }
        } else if (error instanceof FencedInstanceIdException fenced) {
            reset(true);
            fatal = fenced;
        } else if (error instanceof UnknownMemberIdException || error instanceof IllegalGenerationException) {
            reset(error instanceof UnknownMemberIdException);
        }
    }

    private void reset(boolean memberIdToo) {
        state = State.UNJOINED;
        generation = NO_GENERATION;
        if (memberIdToo) {
            memberId = "";
        }
        rejoin = true;
        prepared = false;
    }

    private SimMembers.Identity self() {
        return new SimMembers.Identity(memberId, generation, config.instanceId());
    }

    @Override
    public void leave(CloseOptions.GroupMembershipOperation operation) {
        List<TopicPartition> dropped = new ArrayList<>(subscription.partitions());
        RuntimeException error = null;
        if (subscription.isGroupManaged() && !dropped.isEmpty()) {
            boolean gone = generation == NO_GENERATION
                    || memberId.isEmpty()
                    || state == State.PREPARING
                    || state == State.COMPLETING;
            error = gone ? callbacks.lost(dropped) : callbacks.revoked(dropped);
            subscription.replace(List.of());
        }
        boolean stays = switch (operation) {
            case LEAVE_GROUP -> false;
            case REMAIN_IN_GROUP -> true;
            case DEFAULT -> config.instanceId() != null;
        };
        if (!stays && !memberId.isEmpty()) {
            sendLeave();
        }
        joining = null;
        syncing = null;
        joinedTopics = null;
        leader.resign();
        reset(true);
        Callbacks.raise(error);
    }

    private void sendLeave() {
        String leaving = memberId;
        connection.tell(SimOp.LEAVE, () -> broker.coordinated(group).classic().leave(leaving, config.instanceId()));
    }

    @Override
    public void kill() {
        if (heartbeat != null) {
            heartbeat.cancel();
        }
        state = State.UNJOINED;
    }

    @Override
    public SimMembers.Identity identity() {
        if (!subscription.isGroupManaged()) {
            return SimMembers.Identity.NONE;
        }
        return switch (state) {
            case STABLE -> self();
            case PREPARING, COMPLETING ->
                throw new RebalanceInProgressException(
                        "Offset commit cannot be completed since the consumer is undergoing a rebalance for auto"
                                + " partition assignment. Complete it by calling poll() and then retry.");
            case UNJOINED ->
                throw new CommitFailedException(
                        "Offset commit cannot be completed since the consumer is not part of an active group for auto"
                                + " partition assignment; it is likely that the consumer was kicked out of the group.");
        };
    }

    @Override
    public RuntimeException commitError(RuntimeException answer, SimMembers.Identity sent, boolean synchronous) {
        boolean movedOn = sent.generation() != generation && state == State.PREPARING;
        if (answer instanceof RebalanceInProgressException) {
            rejoin = true;
            return answer;
        }
        if (answer instanceof UnknownMemberIdException || answer instanceof IllegalGenerationException) {
            if (movedOn) {
                return new RebalanceInProgressException(
                        "Offset commit cannot be completed since the generation is already stale");
            }
            if (sent.generation() == generation && subscription.isGroupManaged()) {
                reset(answer instanceof UnknownMemberIdException);
            }
            return new CommitFailedException();
        }
        return answer;
    }

    @Override
    public ConsumerGroupMetadata metadata() {
        return metadata;
    }

    @Override
    public void requestRejoin() {
        rejoin = true;
    }
}
