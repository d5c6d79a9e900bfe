package dev.laneway.stream;

import dev.laneway.RebalanceListener;
import dev.laneway.RestrictedConsumer;
import dev.laneway.engine.ConsumerLaunch;
import dev.laneway.engine.HandlerSpec;
import dev.laneway.engine.StreamFeed;
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
 * <p><b>Demand is credit.</b> Records are fetched ahead up to the reserve of the settings. What nobody asks for stays
 * there; then the partition is paused, while the consumer goes on polling and stays in its group, for as long as it
 * takes.
 *
 * <p><b>Threads.</b> Records are deserialised and delivered on a virtual thread, never on the consumer's, and a
 * subscriber may wait in {@code onNext}.
 *
 * <p><b>The end.</b> A source goes on until it is stopped, cancelled or fails. Then the consumer delivers nothing more,
 * and leaves when what was delivered is acknowledged and committed, or at the close limit. After a failure, such as a
 * stage or a subscriber that throws, it leaves as soon as what is acknowledged is committed. A record whose bytes
 * cannot be deserialised fails the stream, unless the settings say {@link Unreadable#SKIP}; where what reads it fails
 * for now, its partition waits.
 */
public final class KafkaSource {
    private static final Executor THREADS = StageRuntime.virtual("laneway-source");

    private KafkaSource() {}

    /** Records, and no commits: for readers that need no place, or keep it elsewhere. */
    public static <K, V> Source<ConsumerRecord<K, V>> plain(ConsumerSettings<K, V> settings, Subscription from) {
        return merged(
                handling -> settings.launch(from, handling),
                settings,
                HandlerSpec.Streaming.Kind.PLAIN,
                (record, feed) -> record);
    }

    /**
     * Records to acknowledge, in any order, and to commit: by {@link Committer}, or each by itself. At-least-once. What
     * is done beyond the committed offset is written into the commit, and is skipped after a restart.
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
     * As {@link #committable(ConsumerSettings, TopicSelection)}, with commit metadata of one's own: that of the last
     * record which a commit covers. It takes the place of the map of what is done beyond the committed offset, so after
     * a restart that is delivered again.
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
     * Records that are committed before they are delivered: at-most-once. One poll is committed at a time, and the next
     * one when all of it is delivered; a crash loses no more than that.
     */
    public static <K, V> Source<ConsumerRecord<K, V>> atMostOnce(ConsumerSettings<K, V> settings, Subscription from) {
        return merged(
                handling -> settings.launch(from, handling),
                settings,
                HandlerSpec.Streaming.Kind.AT_MOST_ONCE,
                (record, feed) -> record);
    }

    /**
     * Records for {@link KafkaSink#transactional}: exactly-once. What is made of each goes there with the record, and
     * both, the outputs and the offset, with the map of what is done beyond it, are written in one transaction after
     * another. Whoever reads the outputs with {@code isolation.level=read_committed} sees those of each record once,
     * whatever crashes; what the stream does elsewhere is at-least-once, as ever. The source itself reads what is
     * committed only.
     *
     * <p>A record that makes nothing is acknowledged, or goes to the sink as an {@link Envelope#passThrough}. A
     * transaction that is aborted is written again, without reading a record twice. When a partition is given up, what
     * is done of it is written before, and what is not is the next owner's; an owner of the past can write nothing.
     *
     * @param transactions those that the sink gets; the source makes their producers, and closes them
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
     * As {@link #transactional}, a stream for each partition. Each may have a sink of its own; all of them write in the
     * transactions of this source, in as many at once as the settings have producers.
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

    /** A stream of records for each partition, as {@link #plain}. Each has demand and pauses of its own. */
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
     * A stream of records to acknowledge for each partition, as {@link #committable}. Each has demand and pauses of its
     * own; when its partition is given up, what was delivered may yet be acknowledged, up to the drain limit.
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
     * A stream of records for each partition, whose offsets are kept elsewhere, such as in a database beside the
     * results. Nothing is committed to the group.
     *
     * @param offsetsOnAssign tells the next offset to read of each of these partitions. It is asked at each assignment,
     *     on the consumer's thread, so it must answer by a stage; the partitions wait for it, others do not. A failure,
     *     a missing or a negative offset fails the stream
     * @param onRevoke is told of partitions that were given up or lost, when their streams deliver no more; on the
     *     consumer's thread, so it must not take long
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
     * As {@link #partitioned(ConsumerSettings, TopicSelection, Function, Consumer)}, with what may be asked of the
     * consumer meanwhile: such as the first offset of a partition that was never read.
     *
     * @param offsetsOnAssign may ask the consumer until it returns, not in the stage that it returns
     * @param onRevoke may ask the consumer until it returns; of lost partitions it can commit nothing
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
        ConsumerControl control = new ConsumerControl(settings.closeLimit());
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
        ConsumerControl control = new ConsumerControl(settings.closeLimit());
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
