package dev.laneway.stream;

import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The element of {@link KafkaSink#flow}: records to send (none, one or many), and a value that is emitted when the
 * broker has acknowledged all of them. Immutable.
 *
 * @param <P> the value that passes through, such as an offset to commit
 */
public sealed interface Envelope<K, V, P> {
    /** One record. */
    static <K, V, P> Envelope<K, V, P> single(ProducerRecord<K, V> record, P passThrough) {
        return new Single<>(record, passThrough);
    }

    /** Records that are sent in this order and confirmed together; may be empty. */
    static <K, V, P> Envelope<K, V, P> multi(List<ProducerRecord<K, V>> records, P passThrough) {
        return new Multi<>(records, passThrough);
    }

    /** Nothing to send: it is emitted in order, after everything before it has been acknowledged. */
    static <K, V, P> Envelope<K, V, P> passThrough(P passThrough) {
        return new PassThrough<>(passThrough);
    }

    /** The value that passes through. */
    P passThrough();

    /** The records to send. */
    List<ProducerRecord<K, V>> records();

    /** See {@link Envelope#single}. */
    record Single<K, V, P>(ProducerRecord<K, V> record, P passThrough) implements Envelope<K, V, P> {
        /** Refuses null. */
        public Single {
            Objects.requireNonNull(record, "record");
            Objects.requireNonNull(passThrough, "passThrough");
        }

        @Override
        public List<ProducerRecord<K, V>> records() {
            return List.of(record);
        }
    }

    /** See {@link Envelope#multi}. */
    record Multi<K, V, P>(List<ProducerRecord<K, V>> records, P passThrough) implements Envelope<K, V, P> {
        /** Copies the list, refuses null. */
        public Multi {
            records = List.copyOf(records);
            Objects.requireNonNull(passThrough, "passThrough");
        }
    }

    /** See {@link Envelope#passThrough(Object)}. */
    record PassThrough<K, V, P>(P passThrough) implements Envelope<K, V, P> {
        /** Refuses null. */
        public PassThrough {
            Objects.requireNonNull(passThrough, "passThrough");
        }

        @Override
        public List<ProducerRecord<K, V>> records() {
            return List.of();
        }
    }
}
