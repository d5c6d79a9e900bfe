package dev.laneway.stream;

import dev.laneway.SendFailedException;
import dev.laneway.stream.runtime.OutgoingElement;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Converts between the elements of {@link SinkStage}, the records to send, and the results. Stateless. */
interface ElementShape<T, K, V, R> {
    /** The records of an element. */
    List<ProducerRecord<K, V>> records(T element);

    /** The result when all records are acknowledged. */
    R sent(OutgoingElement<T> shipment);

    /** The result when a record is refused and the stream goes on. */
    R refused(T element, SendFailedException failure);

    /** Whether downstream waits for each result. If not, the drain may look at several at once, later. */
    boolean isAwaited();

    /** Records without envelopes, for a sink that only counts results. */
    record Bare<K, V>() implements ElementShape<ProducerRecord<K, V>, K, V, ProducerRecord<K, V>> {
        @Override
        public List<ProducerRecord<K, V>> records(ProducerRecord<K, V> element) {
            return List.of(element);
        }

        @Override
        public ProducerRecord<K, V> sent(OutgoingElement<ProducerRecord<K, V>> shipment) {
            return shipment.element;
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
    record Enveloped<K, V, P>() implements ElementShape<Envelope<K, V, P>, K, V, Result<K, V, P>> {
        @Override
        public List<ProducerRecord<K, V>> records(Envelope<K, V, P> element) {
            return element.records();
        }

        @Override
        public Result<K, V, P> sent(OutgoingElement<Envelope<K, V, P>> shipment) {
            return new Result.Sent<>(shipment.element, shipment.metadata());
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
