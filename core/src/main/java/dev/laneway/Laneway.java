package dev.laneway;

import dev.laneway.engine.OffsetResetter;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A running consumer. Start one with {@link #consumer}; it runs until it is closed, drained or fails. Thread-safe; not
 * to be implemented by users.
 *
 * <p>{@link #close()} and {@link #drain} may be called from any thread. From a handler they ask for the end and return
 * at once, since the handler itself is in flight.
 */
public interface Laneway extends AutoCloseable {
    /**
     * Describes a consumer by Kafka's own properties, as for {@code KafkaConsumer}; all of them pass through. Laneway
     * itself sets {@code enable.auto.commit=false} and, unless given, {@code max.poll.records}.
     */
    static LanewayBuilder<byte[], byte[]> consumer(Map<String, ?> kafkaConfig) {
        return LanewayBuilder.of(kafkaConfig);
    }

    /**
     * Describes a consumer over Kafka clients that the caller makes, one call per member. Laneway closes them.
     * {@code kafkaConfig} says what the clients were made with, as far as Laneway needs it: {@code group.id} and
     * {@code enable.auto.commit}, which must be false, in any case; {@code group.protocol},
     * {@code max.poll.interval.ms}, {@code max.poll.records} and {@code max.partition.fetch.bytes} where they were set.
     */
    static LanewayBuilder<byte[], byte[]> consumer(
            Map<String, ?> kafkaConfig, Supplier<? extends Consumer<byte[], byte[]>> clients) {
        return LanewayBuilder.of(kafkaConfig).clients(clients);
    }

    /**
     * Describes a member of a share group (KIP-932, brokers from 4.2 on) by Kafka's own properties, as for
     * {@code KafkaShareConsumer}: the broker hands out the records of the topics one by one, to whoever asks, in no
     * order. Handlers and failure policies are those of {@link #consumer}. Laneway itself sets
     * {@code share.acknowledgement.mode=explicit} and, unless given, {@code share.acquire.mode=record_limit} and
     * {@code max.poll.records}. What needs order or partitions of one's own is refused at start.
     */
    static LanewayBuilder<byte[], byte[]> shareConsumer(Map<String, ?> kafkaConfig) {
        return LanewayBuilder.of(kafkaConfig).shares(null);
    }

    /**
     * Describes a member of a share group over Kafka clients that the caller makes; Laneway closes them.
     * {@code kafkaConfig} says what the clients were made with, as far as Laneway needs it: {@code group.id} and
     * {@code share.acknowledgement.mode}, which must be explicit, in any case; {@code max.poll.interval.ms} and
     * {@code max.poll.records} where they were set.
     */
    static LanewayBuilder<byte[], byte[]> shareConsumer(
            Map<String, ?> kafkaConfig, Supplier<? extends ShareConsumer<byte[], byte[]>> clients) {
        return LanewayBuilder.of(kafkaConfig).shares(clients);
    }

    /**
     * Moves the committed offsets of a group, once and for good: the next consumer of the group starts there. Records
     * that were done beyond the old offsets are forgotten, too. A start position ({@link LanewayBuilder#startAt}) never
     * does this.
     *
     * <p>Refused while the group has members; a consumer with {@link LanewayBuilder#assign assigned} partitions is not
     * one, so stop those yourself. Each partition's move is logged. Waits for the brokers, no longer than
     * {@code default.api.timeout.ms} for each question.
     *
     * @param kafkaConfig Kafka's properties of the group's consumers, {@code group.id} among them
     * @param to any position but {@link StartPosition#committed()}; with {@link StartPosition#offsets} the partitions
     *     that it names are moved, else all of the topics
     * @throws ConfigurationException when no group is named, or an offset is not in the log
     * @throws BrokerException when the group has members, a topic does not exist, or a broker does not answer; nothing
     *     was changed then, unless the answer to the change itself is missing
     */
    static OffsetReset resetOffsets(Map<String, ?> kafkaConfig, StartPosition to, String... topics) {
        return new OffsetResetter(kafkaConfig, to).apply(Set.of(topics));
    }

    /** What {@link #resetOffsets} would do now; changes nothing. */
    static OffsetReset planOffsetReset(Map<String, ?> kafkaConfig, StartPosition to, String... topics) {
        return new OffsetResetter(kafkaConfig, to).plan(Set.of(topics));
    }

    /** Where it is in its life; with several members, that of the one that is least far. */
    State state();

    /** Whether it does its work, and if not, why. Waits for nothing; any thread. */
    Health health();

    /**
     * Everything that is known of it, at this moment, and how old that is. Waits for nothing, whatever the consumer
     * waits for; any thread. Costs time in proportion to the partitions; not for every record.
     */
    Snapshot snapshot();

    /** The partitions assigned now, all members together. */
    Set<TopicPartition> assignment();

    /**
     * Starts no further record of any partition, also of those assigned later, until {@link #resume()}. It stays in its
     * group.
     */
    void pause();

    /** Starts no further record of these partitions until they are resumed, through rebalances too. */
    void pause(Collection<TopicPartition> partitions);

    /**
     * Ends {@link #pause()} and every {@link #pause(Collection)}; each partition goes on at the record where it
     * stopped.
     */
    void resume();

    /** Ends the pause of these partitions. */
    void resume(Collection<TopicPartition> partitions);

    /**
     * Goes on at another offset of an assigned partition: work in flight ends within the drain limit, what is held is
     * dropped, and the new offset is committed as the partition's progress, forwards or backwards. Returns when that is
     * done.
     *
     * @throws IllegalStateException when the partition is not assigned, and when called from a handler or a rebalance
     *     listener, which it would wait for
     */
    void seek(TopicPartition partition, long offset);

    /**
     * Fetches nothing new, processes all that is held, commits and closes.
     *
     * @return true when everything held was processed within the limit; what was not is read again by the next owner
     */
    boolean drain(Duration limit);

    /**
     * Starts no further record, waits for those in flight up to the close limit, commits and leaves the group. Safe to
     * call again.
     */
    @Override
    void close();

    /** {@link #close()} with another limit. */
    void close(Duration limit);

    /**
     * Waits until it has ended.
     *
     * @throws LanewayException the failure that ended it, if one did
     * @throws InterruptedException when the waiting thread is interrupted; the consumer goes on
     */
    void awaitTermination() throws InterruptedException;

    /**
     * Waits until it has ended, but no longer than the limit.
     *
     * @return whether it has ended
     * @throws LanewayException the failure that ended it, if one did
     * @throws InterruptedException when the waiting thread is interrupted; the consumer goes on
     */
    boolean awaitTermination(Duration limit) throws InterruptedException;

    /** The failure that ended it; empty while it runs and after a clean end. */
    Optional<Throwable> failure();
}
