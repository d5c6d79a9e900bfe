package dev.laneway.stream;

import dev.laneway.SendFailedException;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What elements look like on the way into {@link SinkStage} and out of it. Stateless. */
interface ElementShape<T, K, V, R> {
    /** The records of an element. */
    List<ProducerRecord<K, V>> records(T element);

    /** What goes down when all of them are acknowledged. */
    R sent(OutgoingElement<T> shipment);

    /** What goes down when one of them is refused and the stream goes on. */
    R refused(T element, SendFailedException failure);

    /** Whether somebody waits for each element that goes down; else it is enough to look at them now and then. */
    boolean isAwaited();

    /** Bare records, for a sink: it counts what goes down, and looks at nothing. */
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
