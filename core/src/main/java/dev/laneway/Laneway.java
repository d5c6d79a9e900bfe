package dev.laneway;

import dev.laneway.engine.start.OffsetResetter;
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
 * at once, because the handler itself is in flight.
 */
public interface Laneway extends AutoCloseable {
    /**
     * Describes a consumer by Kafka's own properties, as for {@code KafkaConsumer}. Laneway sets
     * {@code enable.auto.commit=false} and a few defaults: see docs/configuration.md.
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
     * {@code KafkaShareConsumer}: the broker delivers records to whichever member asks, in no order. Handlers and
     * failure policies are those of {@link #consumer}. Laneway sets {@code share.acknowledgement.mode=explicit} and,
     * unless given, {@code share.acquire.mode=record_limit} and {@code max.poll.records}. Options that need order or
     * assigned partitions are refused at start.
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
     * Moves the committed offsets of a group: its next consumer starts there. The map of records done beyond the old
     * offsets is dropped. A start position ({@link LanewayBuilder#startAt}) never moves committed offsets.
     *
     * <p>Refused while the group has members. A consumer with {@link LanewayBuilder#assign assigned} partitions is not
     * a member: stop it yourself. Each move is logged. Waits for the brokers, at most {@code default.api.timeout.ms}
     * for each request.
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

    /** Its state; with several members, that of the one that is least far. */
    State state();

    /** Whether it does its work, and if not, why. Never blocks. */
    Health health();

    /**
     * Its state, partitions, counters and budgets, and how old these are. Never blocks. Costs time in proportion to the
     * partitions: call it every few seconds, not for every record.
     */
    Snapshot snapshot();

    /** The partitions assigned now, all members together. */
    Set<TopicPartition> assignment();

    /**
     * Starts no further record of any partition, also of those assigned later, until {@link #resume()}. It stays in its
     * group.
     */
    void pause();

    /**
     * Starts no further record of these partitions until they are resumed, through rebalances too. What was fetched of
     * them stays held and counts against the budgets ({@code bufferRecords}, {@code bufferBytes}). Where another
     * partition has had no room for a second, each keeps half of its share at most; the rest is fetched again later.
     */
    void pause(Collection<TopicPartition> partitions);

    /**
     * Ends {@link #pause()} and every {@link #pause(Collection)}; each partition goes on at the record where it
     * stopped.
     */
    void resume();

    /** Ends the pause of these partitions. */
    void resume(Collection<TopicPartition> partitions);

    /**
     * Goes on at another offset of an assigned partition, forwards or backwards. Waits for handlers in flight, up to
     * the drain limit, drops what is held, and commits the new offset. Returns when that is done.
     *
     * @throws IllegalStateException when the partition is not assigned, and when called from a handler or a rebalance
     *     listener, which it would wait for
     */
    void seek(TopicPartition partition, long offset);

    /**
     * Fetches nothing new, processes all that is held, commits and closes.
     *
     * @return true if everything held was processed within the limit; the next owner reads the rest again
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
