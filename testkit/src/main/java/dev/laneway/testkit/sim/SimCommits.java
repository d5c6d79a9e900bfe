package dev.laneway.testkit.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer's commits. An asynchronous one is sent once; its callback runs in the next call of the application that
 * runs callbacks. If a member of the classic protocol has to look for its coordinator first, a wake-up ends it
 * (ClassicKafkaConsumer of kafka-clients 4.3.1). A synchronous one is repeated after retriable errors, and runs the
 * callbacks of earlier ones first.
 */
final class SimCommits {
    private final SimBroker broker;
    private final SimConsumerConfig config;
    private final String group;
    private final SimConnection connection;
    private final SimMember member;
    private final SimBlocking blocking;
    private final Deque<Runnable> answered = new ArrayDeque<>();
    private int underWay;
    /** Whether the latest answer gave reason to look for the group's coordinator again. */
    private boolean coordinatorUnknown;

    private @Nullable FencedInstanceIdException fenced;

    SimCommits(
            SimBroker broker,
            SimConsumerConfig config,
            String group,
            SimConnection connection,
            SimMember member,
            SimBlocking blocking) {
        this.broker = broker;
        this.config = config;
        this.group = group;
        this.connection = connection;
        this.member = member;
        this.blocking = blocking;
    }

    boolean hasNews() {
        return !answered.isEmpty();
    }

    /** Runs the callbacks of what has been answered, in the order of the answers. */
    void runCallbacks() {
        if (fenced != null) {
            throw fenced;
        }
        Runnable callback = answered.poll();
        while (callback != null) {
            callback.run();
            callback = answered.poll();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the continuation gets everything
    void async(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
        runCallbacks();
        if ((coordinatorUnknown || connection.isLost()) && member instanceof SimClassicMember) {
            blocking.throwIfWoken(); // The client looks for it inside this call, and sends nothing if that is ended.
        }
        Map<TopicPartition, OffsetAndMetadata> copy = new LinkedHashMap<>(offsets);
        underWay++;
        CompletableFuture<Boolean> attempt = attempt(copy, false);
        attempt.whenComplete((ok, error) -> {
            underWay--;
            RuntimeException failure = error == null ? null : SimFutures.unwrap(error);
            if (failure instanceof RetriableException) {
                failure = new RetriableCommitFailedException(failure);
            } else if (failure instanceof FencedInstanceIdException fatal) {
                fenced = fatal;
            }
            RuntimeException seen = failure;
            if (callback != null) {
                answered.add(() -> complete(callback, copy, seen));
            }
        });
    }

    @SuppressWarnings("NullAway") // Kafka passes null for success, but is not annotated so
    private static void complete(
            OffsetCommitCallback callback,
            Map<TopicPartition, OffsetAndMetadata> offsets,
            @Nullable RuntimeException error) {
        callback.onComplete(offsets, error);
    }

    /** Commits and waits; false if the time ran out. */
    boolean sync(Map<TopicPartition, OffsetAndMetadata> offsets, long timeoutNanos) {
        runCallbacks();
        long deadline = SimClock.saturatedAdd(broker.clock().nanoTime(), timeoutNanos);
        if (offsets.isEmpty()) {
            return awaitPending(deadline);
        }
        Map<TopicPartition, OffsetAndMetadata> copy = new LinkedHashMap<>(offsets);
        do {
            CompletableFuture<Boolean> attempt = attempt(copy, true);
            boolean done = blocking.await(attempt, deadline);
            runCallbacks();
            if (!done) {
                return false;
            }
            RuntimeException failure = SimFutures.failure(attempt);
            if (failure == null) {
                return true;
            }
            if (!(failure instanceof RetriableException)) {
                throw failure;
            }
            blocking.pause(config.retryBackoffNanos(), deadline);
        } while (broker.clock().nanoTime() < deadline);
        return false;
    }

    /** Waits until all asynchronous commits are answered, and runs their callbacks. */
    boolean awaitPending(long deadline) {
        boolean done = underWay == 0 || blocking.await(() -> underWay == 0, deadline);
        runCallbacks();
        return done;
    }

    private CompletableFuture<Boolean> attempt(Map<TopicPartition, OffsetAndMetadata> offsets, boolean synchronous) {
        if (offsets.isEmpty()) {
            return CompletableFuture.completedFuture(true);
        }
        SimMembers.Identity self;
        try {
            for (Map.Entry<TopicPartition, OffsetAndMetadata> entry : offsets.entrySet()) {
                if (entry.getValue().offset() < 0) {
                    throw new IllegalArgumentException(
                            "Invalid offset: " + entry.getValue().offset());
                }
            }
            self = member.identity();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        connection.ask(
                SimOp.COMMIT,
                () -> {
                    broker.coordinated(group).commit(self, offsets);
                    return true;
                },
                (ok, error) -> {
                    coordinatorUnknown = error != null;
                    if (error == null) {
                        result.complete(true);
                    } else {
                        result.completeExceptionally(member.commitError(error, self, synchronous));
                    }
                });
        return result;
    }
}
