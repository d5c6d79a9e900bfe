package dev.laneway.stream;

import dev.laneway.engine.Feed;
import dev.laneway.engine.Handling;
import dev.laneway.engine.Reader;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

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
 * and leaves when what was delivered is acknowledged and committed, or at the close limit. A record that cannot be
 * deserialised fails the stream; those who want to go on read bytes and deserialise in a stage of their own.
 */
public final class KafkaSource {
    private static final Flow.Subscription NOTHING_ABOVE = new Flow.Subscription() {
        @Override
        public void request(long elements) {
            // Demand is looked at, not passed on.
        }

        @Override
        public void cancel() {
            // The stage ends its consumer itself.
        }
    };

    private KafkaSource() {}

    /** Records, and no commits: for readers that need no place, or keep it elsewhere. */
    public static <K, V> Source<ConsumerRecord<K, V>> plain(ConsumerSettings<K, V> settings, Subscription from) {
        return merged(settings, from, Handling.Streaming.Kind.PLAIN, (record, feed) -> record);
    }

    /**
     * Records to acknowledge, in any order, and to commit: by {@code Committer}, or each by itself. At-least-once. What
     * is done beyond the committed offset is written into the commit, and is skipped after a restart.
     */
    public static <K, V> Source<CommittableRecord<K, V>> committable(
            ConsumerSettings<K, V> settings, Subscription from) {
        return merged(
                settings,
                from,
                Handling.Streaming.Kind.COMMITTABLE,
                (record, feed) -> new CommittableRecord<>(record, feed, ""));
    }

    /**
     * As {@link #committable(ConsumerSettings, Subscription)}, with commit metadata of one's own: that of the last
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
                settings,
                from,
                Handling.Streaming.Kind.NOTED,
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
        return merged(settings, from, Handling.Streaming.Kind.AT_MOST_ONCE, (record, feed) -> record);
    }

    private static <K, V, R> Source<R> merged(
            ConsumerSettings<K, V> settings,
            Subscription from,
            Handling.Streaming.Kind kind,
            BiFunction<? super ConsumerRecord<K, V>, ? super Feed, ? extends R> shape) {
        ConsumerControl control = new ConsumerControl(settings.closeLimit());
        Merging<K, V, R> stage = new Merging<>(
                new Reader<>(settings.keyDeserializer(), settings.valueDeserializer()),
                shape,
                control,
                outlet -> settings.launch(from, new Handling.Streaming(outlet, kind))
                        .feed());
        settings.launch(from, new Handling.Streaming(stage, kind)).check();
        return new Source<>(
                subscriber -> {
                    stage.onSubscribe(NOTHING_ABOVE);
                    stage.subscribe(subscriber);
                },
                control);
    }
}
