package dev.laneway.engine.handle;

import dev.laneway.AsyncHandler;
import dev.laneway.BatchHandler;
import dev.laneway.Outcome;
import dev.laneway.OutcomeHandler;
import dev.laneway.RecordHandler;
import dev.laneway.RestrictedConsumer;
import dev.laneway.TransformHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/** How records are handled: the user's handler and the deserialisers that it needs. Immutable. */
public sealed interface HandlerSpec {
    /** Reads keys. */
    Deserializer<?> keys();

    /** Reads values. */
    Deserializer<?> values();

    /** Whether commits carry metadata of the user's own, which nobody may shorten, instead of Laneway's map. */
    default boolean hasOwnMetadata() {
        return false;
    }

    /** One record at a time, done when the handler returns. */
    record Plain<K, V>(Deserializer<K> keys, Deserializer<V> values, RecordHandler<K, V> handler)
            implements HandlerSpec {}

    /**
     * One record at a time, and the handler says what becomes of it; {@code emits} when it is known to send records.
     */
    record Each<K, V>(Deserializer<K> keys, Deserializer<V> values, OutcomeHandler<K, V> handler, boolean emits)
            implements HandlerSpec {}

    /** One record at a time, without holding a thread. */
    record Async<K, V>(Deserializer<K> keys, Deserializer<V> values, AsyncHandler<K, V> handler)
            implements HandlerSpec {}

    /** Several records at once. */
    record Batch<K, V>(
            Deserializer<K> keys, Deserializer<V> values, int size, Duration linger, BatchHandler<K, V> handler)
            implements HandlerSpec {}

    /**
     * By nobody here: a subscriber takes the records.
     *
     * @param offsetsOnAssign tells where partitions start, whenever they are assigned; null: the group tells
     * @param commitInterval how often what is acknowledged is committed though nobody asks; null: never
     */
    record Streaming(
            StreamOutlet outlet,
            Kind kind,
            @Nullable OffsetsOnAssign offsetsOnAssign,
            @Nullable Duration commitInterval)
            implements HandlerSpec {
        /** Partitions start where the group or the subscription says. */
        public Streaming(StreamOutlet outlet, Kind kind) {
            this(outlet, kind, null);
        }

        /** Nothing is committed before somebody asks. */
        public Streaming(StreamOutlet outlet, Kind kind, @Nullable OffsetsOnAssign offsetsOnAssign) {
            this(outlet, kind, offsetsOnAssign, null);
        }

        /** The same with another interval of commits. */
        public Streaming committedEvery(@Nullable Duration interval) {
            return new Streaming(outlet, kind, offsetsOnAssign, interval);
        }

        /** Whoever keeps offsets elsewhere. */
        public interface OffsetsOnAssign {
            /**
             * Where these partitions start.
             *
             * @param consumer may be asked until this returns
             */
            CompletionStage<Map<TopicPartition, Long>> of(RestrictedConsumer consumer, Set<TopicPartition> partitions);
        }

        /** What the group learns of the stream's progress. */
        public enum Kind {
            /** Nothing. */
            PLAIN,
            /** What a poll returned is committed before it is delivered. */
            AT_MOST_ONCE,
            /** What is acknowledged is committed when somebody asks, and at an interval. */
            COMMITTABLE,
            /** As {@link #COMMITTABLE}, with metadata of the user's own instead of the map of what is done. */
            NOTED,
            /** What is acknowledged is committed in transactions, with what it emits. */
            TRANSACTIONAL;

            boolean isAcknowledged() {
                return this == COMMITTABLE || this == NOTED || this == TRANSACTIONAL;
            }

            /** Whether records may be delivered again. */
            public boolean mayRepeat() {
                return this == PLAIN || this == COMMITTABLE || this == NOTED;
            }
        }

        @Override
        public boolean hasOwnMetadata() {
            return kind == Kind.NOTED;
        }

        @Override
        public Deserializer<?> keys() {
            return new ByteArrayDeserializer();
        }

        @Override
        public Deserializer<?> values() {
            return new ByteArrayDeserializer();
        }
    }

    /** Computes records to send and serialises them on the worker. */
    static <K, V, K2, V2> HandlerSpec transform(
            Deserializer<K> keys,
            Deserializer<V> values,
            Serializer<K2> keySerializer,
            Serializer<V2> valueSerializer,
            TransformHandler<K, V, K2, V2> handler) {
        OutcomeHandler<K, V> serialised = (record, context) -> {
            List<ProducerRecord<byte[], byte[]>> outputs = new ArrayList<>();
            for (ProducerRecord<K2, V2> output : handler.handle(record)) {
                outputs.add(serialise(output, keySerializer, valueSerializer));
            }
            return outputs.isEmpty() ? Outcome.done() : Outcome.emit(outputs);
        };
        return new Each<>(keys, values, serialised, true);
    }

    private static <K, V> ProducerRecord<byte[], byte[]> serialise(
            ProducerRecord<K, V> output, Serializer<K> keys, Serializer<V> values) {
        Headers headers = output.headers();
        byte @Nullable [] key = keys.serialize(output.topic(), headers, output.key());
        byte @Nullable [] value = values.serialize(output.topic(), headers, output.value());
        return new ProducerRecord<>(output.topic(), output.partition(), output.timestamp(), key, value, headers);
    }
}
