package dev.laneway.stream;

import dev.laneway.RebalanceListener;
import dev.laneway.RestrictedConsumer;
import dev.laneway.engine.ConsumerLaunch;
import dev.laneway.engine.handle.HandlerSpec;
import dev.laneway.engine.handle.StreamFeed;
import dev.laneway.stream.runtime.StageRuntime;
import dev.laneway.stream.runtime.SystemStreamTimer;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Kafka as streams. Each source is one member of its group; it joins when it is subscribed to.
 *
 * <p><b>Demand.</b> Records are fetched ahead, up to the reserve of the settings. Without demand the reserve fills and
 * the partition is paused; the consumer goes on polling and stays in its group.
 *
 * <p><b>Threads.</b> Records are deserialised and delivered on a virtual thread, so a subscriber may block in
 * {@code onNext}.
 *
 * <p><b>End.</b> A source goes on until it is stopped, cancelled or fails. Then nothing more is delivered, and the
 * consumer leaves its group when delivered records are acknowledged and committed, or at the close limit. After a
 * failure, such as a stage or a subscriber that throws, it leaves as soon as what is acknowledged is committed. A
 * record whose bytes are wrong fails the stream, unless the settings say {@link Unreadable#SKIP}; if the deserialiser
 * fails for a reason that may pass, the partition waits.
 */
public final class KafkaSource {
    private static final Executor THREADS = StageRuntime.virtual("laneway-source");

    private KafkaSource() {}

    /** Records without commits: for readers that need no progress, or store it elsewhere. */
    public static <K, V> Source<ConsumerRecord<K, V>> plain(ConsumerSettings<K, V> settings, Subscription from) {
        return merged(
                handling -> settings.launch(from, handling),
                settings,
                HandlerSpec.Streaming.Kind.PLAIN,
                (record, feed) -> record);
    }

    /**
     * Records to acknowledge, in any order, and to commit: by {@link Committer}, or each by itself. At-least-once. The
     * commit names what is done beyond its offset, and a restart skips that.
     */
    public static <K, V> Source<CommittableRecord<K, V>> committable(
            ConsumerSettings<K, V> settings, Subscription from) {
        return merged(
                handling -> settings.launch(from, handling),
                settings,
                HandlerSpec.Streaming.Kind.COMMITTABLE,
                (record, feed) -> new CommittableRecord<>(record, feed, ""));
    }

    /**
     * As {@link #committable(ConsumerSettings, TopicSelection)}, with your own commit metadata: a commit has that of
     * the last record that it covers. It replaces the map of what is done beyond the committed offset, so a restart
     * delivers those records again.
     *
     * @param metadata quick, and never null; called for each record where the stream is delivered
     */
    public static <K, V> Source<CommittableRecord<K, V>> committable(
            ConsumerSettings<K, V> settings,
            Subscription from,
            Function<? super ConsumerRecord<K, V>, String> metadata) {
        Objects.requireNonNull(metadata, "metadata");
        return merged(
                handling -> settings.launch(from, handling),
                settings,
                HandlerSpec.Streaming.Kind.NOTED,
                (record, feed) -> new CommittableRecord<>(
                        record,
                        feed,
                        Objects.requireNonNull(metadata.apply(record), "the metadata function returned null")));
    }

    /**
     * Records that are committed before they are delivered: at-most-once. Each poll is committed when the one before
     * has been delivered, so a crash loses at most one poll.
     */
    public static <K, V> Source<ConsumerRecord<K, V>> atMostOnce(ConsumerSettings<K, V> settings, Subscription from) {
        return merged(
                handling -> settings.launch(from, handling),
                settings,
                HandlerSpec.Streaming.Kind.AT_MOST_ONCE,
                (record, feed) -> record);
    }

    /**
     * Records for {@link KafkaSink#transactional}: exactly-once. Outputs go to that sink with their record; both the
     * outputs and the offset are written in one transaction. Readers with {@code isolation.level=read_committed} see
     * the outputs of each record once, whatever crashes. What the stream does outside Kafka is at-least-once. The
     * source itself reads committed records only.
     *
     * <p>Acknowledge a record without outputs, or send it to the sink as an {@link Envelope#passThrough}. An aborted
     * transaction is written again without reading a record twice. Before a partition is given up, what is done of it
     * is written; the next owner reads the rest, and the former one can no longer write.
     *
     * @param transactions the settings that the sink has; the source makes the producers and closes them
     */
    public static <K, V> Source<CommittableRecord<K, V>> transactional(
            ConsumerSettings<K, V> settings, Subscription from, TransactionSettings<?, ?> transactions) {
        Objects.requireNonNull(transactions, "transactions");
        return merged(
                handling -> settings.launch(from, handling, transactions),
                settings,
                HandlerSpec.Streaming.Kind.TRANSACTIONAL,
                (record, feed) -> new CommittableRecord<>(record, feed, ""));
    }

    /**
     * As {@link #transactional}, with a stream for each partition. Each may have its own sink; all write in the
     * transactions of this source, as many at once as the settings have producers.
     */
    public static <K, V> Source<PartitionStream<CommittableRecord<K, V>>> transactionalPartitioned(
            ConsumerSettings<K, V> settings, Subscription from, TransactionSettings<?, ?> transactions) {
        Objects.requireNonNull(transactions, "transactions");
        return dispensed(
                handling -> settings.launch(from, handling, transactions),
                settings,
                HandlerSpec.Streaming.Kind.TRANSACTIONAL,
                null,
                (record, feed) -> new CommittableRecord<>(record, feed, ""));
    }

    /** A stream of records for each partition, as {@link #plain}. Each has its own demand, and is paused by itself. */
    public static <K, V> Source<PartitionStream<ConsumerRecord<K, V>>> partitioned(
            ConsumerSettings<K, V> settings, Subscription from) {
        return dispensed(
                handling -> settings.launch(from, handling),
                settings,
                HandlerSpec.Streaming.Kind.PLAIN,
                null,
                (record, feed) -> record);
    }

    /**
     * A stream of records to acknowledge for each partition, as {@link #committable}. Each has its own demand, and is
     * paused by itself. When its partition is revoked, delivered records may still be acknowledged, up to the drain
     * limit.
     */
    public static <K, V> Source<PartitionStream<CommittableRecord<K, V>>> committablePartitioned(
            ConsumerSettings<K, V> settings, Subscription from) {
        return dispensed(
                handling -> settings.launch(from, handling),
                settings,
                HandlerSpec.Streaming.Kind.COMMITTABLE,
                null,
                (record, feed) -> new CommittableRecord<>(record, feed, ""));
    }

    /**
     * A stream of records for each partition, with offsets that you store outside Kafka, such as in a database with the
     * results. Nothing is committed to the group.
     *
     * @param offsetsOnAssign returns the next offset to read of each of these partitions. Called at each assignment, on
     *     the consumer's thread, so it must not block; only these partitions wait for its stage. A failure, or a
     *     missing or negative offset, fails the stream
     * @param onRevoke called with partitions that were revoked or lost, when their streams deliver no more; on the
     *     consumer's thread, so it must not block
     */
    public static <K, V> Source<PartitionStream<ConsumerRecord<K, V>>> partitioned(
            ConsumerSettings<K, V> settings,
            Subscription from,
            Function<? super Set<TopicPartition>, ? extends CompletionStage<Map<TopicPartition, Long>>> offsetsOnAssign,
            Consumer<? super Set<TopicPartition>> onRevoke) {
        Objects.requireNonNull(offsetsOnAssign, "offsetsOnAssign");
        Objects.requireNonNull(onRevoke, "onRevoke");
        return partitioned(
                settings,
                from,
                (consumer, partitions) -> offsetsOnAssign.apply(partitions),
                (consumer, partitions) -> onRevoke.accept(partitions));
    }

    /**
     * As {@link #partitioned(ConsumerSettings, TopicSelection, Function, Consumer)}, with access to the consumer, as
     * for the first offset of a partition that was never read.
     *
     * @param offsetsOnAssign may use the consumer until it returns, not in the stage that it returns
     * @param onRevoke may use the consumer until it returns; it cannot commit for lost partitions
     */
    public static <K, V> Source<PartitionStream<ConsumerRecord<K, V>>> partitioned(
            ConsumerSettings<K, V> settings,
            Subscription from,
            BiFunction<
                            ? super RestrictedConsumer,
                            ? super Set<TopicPartition>,
                            ? extends CompletionStage<Map<TopicPartition, Long>>>
                    offsetsOnAssign,
            BiConsumer<? super RestrictedConsumer, ? super Set<TopicPartition>> onRevoke) {
        Objects.requireNonNull(offsetsOnAssign, "offsetsOnAssign");
        Objects.requireNonNull(onRevoke, "onRevoke");
        RebalanceListener told = settings.rebalanceListener();
        RebalanceListener both = new RebalanceListener() {
            @Override
            public void onAssigned(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                told.onAssigned(consumer, partitions);
            }

            @Override
            public void onRevoked(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                onRevoke.accept(consumer, Set.copyOf(partitions));
                told.onRevoked(consumer, partitions);
            }

            @Override
            public void onLost(RestrictedConsumer consumer, Collection<TopicPartition> partitions) {
                onRevoke.accept(consumer, Set.copyOf(partitions));
                told.onLost(consumer, partitions);
            }
        };
        return dispensed(
                handling -> settings.withRebalanceListener(both).launch(from, handling),
                settings,
                HandlerSpec.Streaming.Kind.PLAIN,
                offsetsOnAssign::apply,
                (record, feed) -> record);
    }

    private static <K, V, R> Source<PartitionStream<R>> dispensed(
            Function<HandlerSpec.Streaming, ConsumerLaunch> launch,
            ConsumerSettings<K, V> settings,
            HandlerSpec.Streaming.Kind kind,
            HandlerSpec.Streaming.@Nullable OffsetsOnAssign offsetsOnAssign,
            BiFunction<? super ConsumerRecord<K, V>, ? super StreamFeed, ? extends R> shape) {
        ConsumerControl control = new ConsumerControl(settings.limits().closeLimit());
        PartitionedSource<K, V, R> stage = new PartitionedSource<>(
                settings.reader(RandomGenerator.getDefault()),
                shape,
                control,
                outlet -> launch.apply(new HandlerSpec.Streaming(outlet, kind, offsetsOnAssign))
                        .feed(),
                THREADS,
                SystemStreamTimer.REAL);
        launch.apply(new HandlerSpec.Streaming(stage, kind)).check();
        return NoUpstream.source(stage, control);
    }

    private static <K, V, R> Source<R> merged(
            Function<HandlerSpec.Streaming, ConsumerLaunch> launch,
            ConsumerSettings<K, V> settings,
            HandlerSpec.Streaming.Kind kind,
            BiFunction<? super ConsumerRecord<K, V>, ? super StreamFeed, ? extends R> shape) {
        ConsumerControl control = new ConsumerControl(settings.limits().closeLimit());
        MergedSource<K, V, R> stage = new MergedSource<>(
                settings.reader(RandomGenerator.getDefault()),
                shape,
                control,
                outlet -> launch.apply(new HandlerSpec.Streaming(outlet, kind)).feed(),
                THREADS,
                SystemStreamTimer.REAL);
        launch.apply(new HandlerSpec.Streaming(stage, kind)).check();
        return NoUpstream.source(stage, control);
    }
}
