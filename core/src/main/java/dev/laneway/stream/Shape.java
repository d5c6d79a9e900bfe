package dev.laneway.stream;

import dev.laneway.SendFailedException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/** What elements look like on the way into {@link Sending} and out of it. Stateless. */
interface Shape<T, K, V, R> {
    /** The records of an element. */
    List<ProducerRecord<K, V>> records(T element);

    /** What goes down when all of them are acknowledged. */
    R sent(T element, @Nullable RecordMetadata[] metadata);

    /** What goes down when one of them is refused and the stream goes on. */
    R refused(T element, SendFailedException failure);

    /** Whether somebody waits for each element that goes down; else it is enough to look at them now and then. */
    boolean isAwaited();

    /** Bare records, for a sink: it counts what goes down, and looks at nothing. */
    record Bare<K, V>() implements Shape<ProducerRecord<K, V>, K, V, ProducerRecord<K, V>> {
        @Override
        public List<ProducerRecord<K, V>> records(ProducerRecord<K, V> element) {
            return List.of(element);
        }

        @Override
        public ProducerRecord<K, V> sent(ProducerRecord<K, V> element, @Nullable RecordMetadata[] metadata) {
            return element;
        }

        @Override
        public ProducerRecord<K, V> refused(ProducerRecord<K, V> element, SendFailedException failure) {
            return element;
        }

        @Override
        public boolean isAwaited() {
            return false;
        }
    }

    /** Envelopes in, results out. */
    record Enveloped<K, V, P>() implements Shape<Envelope<K, V, P>, K, V, Result<K, V, P>> {
        @Override
        public List<ProducerRecord<K, V>> records(Envelope<K, V, P> element) {
            return element.records();
        }

        @Override
        public Result<K, V, P> sent(Envelope<K, V, P> element, @Nullable RecordMetadata[] metadata) {
            List<RecordMetadata> all =
                    Arrays.stream(metadata).map(Objects::requireNonNull).toList();
            return new Result.Sent<>(element, all);
        }

        @Override
        public Result<K, V, P> refused(Envelope<K, V, P> element, SendFailedException failure) {
            return new Result.Failed<>(element, failure);
        }

        @Override
        public boolean isAwaited() {
            return true;
        }
    }
}
