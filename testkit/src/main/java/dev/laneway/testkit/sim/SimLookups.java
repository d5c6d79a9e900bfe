package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer's queries to the cluster. Each waits for its answer and repeats after a retriable error, until its time
 * has passed.
 */
final class SimLookups {
    private final SimBroker broker;
    private final SimConsumerConfig config;
    private final SimConnection data;
    private final SimConnection coordinator;
    private final SimBlocking blocking;

    SimLookups(
            SimBroker broker,
            SimConsumerConfig config,
            SimConnection data,
            SimConnection coordinator,
            SimBlocking blocking) {
        this.broker = broker;
        this.config = config;
        this.data = data;
        this.coordinator = coordinator;
        this.blocking = blocking;
    }

    Map<TopicPartition, OffsetAndMetadata> committed(String group, Set<TopicPartition> partitions, Duration timeout) {
        Set<TopicPartition> copy = new LinkedHashSet<>(partitions);
        return ask(
                coordinator,
                SimOp.OFFSET_FETCH,
                () -> broker.coordinated(group).fetch(copy),
                timeout,
                "the last committed offset for partitions " + partitions + " could be determined");
    }

    Map<TopicPartition, Long> beginnings(Collection<TopicPartition> partitions, Duration timeout) {
        return offsets(partitions, SimLog::startOffset, timeout);
    }

    Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions, Duration timeout) {
        return offsets(partitions, log -> log.limit(config.readCommitted()), timeout);
    }

    private Map<TopicPartition, Long> offsets(
            Collection<TopicPartition> partitions, Function<SimLog, Long> which, Duration timeout) {
        Set<TopicPartition> copy = new LinkedHashSet<>(partitions);
        return ask(
                data,
                SimOp.LIST_OFFSETS,
                () -> {
                    Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
                    copy.forEach(partition -> offsets.put(partition, which.apply(existing(partition))));
                    return offsets;
                },
                timeout,
                "offsets of partitions " + partitions + " could be determined");
    }

    Map<TopicPartition, OffsetAndTimestamp> forTimes(Map<TopicPartition, Long> times, Duration timeout) {
        Map<TopicPartition, Long> copy = new LinkedHashMap<>(times);
        return ask(
                data,
                SimOp.LIST_OFFSETS,
                () -> {
                    Map<TopicPartition, OffsetAndTimestamp> found = new LinkedHashMap<>();
                    copy.forEach((partition, time) -> found.put(partition, forTime(existing(partition), time)));
                    return found;
                },
                timeout,
                "offsets by times of partitions " + times.keySet() + " could be determined");
    }

    @SuppressWarnings("NullAway") // Kafka answers null where no record is young enough
    private static OffsetAndTimestamp forTime(SimLog log, long time) {
        SimLog.Entry entry = log.firstAtOrAfter(time);
        return entry == null
                ? null
                : new OffsetAndTimestamp(entry.offset, entry.timestamp, Optional.of(entry.leaderEpoch));
    }

    /** Like Kafka's client, waits for a partition to appear until its time has passed. */
    private SimLog existing(TopicPartition partition) {
        @Nullable SimLog log = broker.findLog(partition);
        if (log != null && broker.ledLog(partition) == null) {
            throw new LeaderNotAvailableException(partition + " has no leader");
        }
        if (log == null) {
            throw new org.apache.kafka.common.errors.UnknownTopicOrPartitionException(partition + " does not exist");
        }
        return log;
    }

    private <R> R ask(SimConnection connection, SimOp op, Supplier<R> question, Duration timeout, String what) {
        long deadline = SimClock.saturatedAdd(broker.clock().nanoTime(), SimTimes.nanos(timeout));
        while (true) {
            CompletableFuture<R> answer = connection.ask(op, question);
            if (blocking.await(answer, deadline)) {
                RuntimeException failure = SimFutures.failure(answer);
                if (failure == null) {
                    return answer.resultNow();
                }
                if (!(failure instanceof RetriableException)) {
                    throw failure;
                }
                blocking.pause(config.retryBackoffNanos(), deadline);
            }
            if (broker.clock().nanoTime() >= deadline) {
                throw new TimeoutException("Timeout of " + timeout.toMillis() + "ms expired before " + what);
            }
        }
    }
}
