package dev.laneway.stream;

import dev.laneway.engine.handle.AckHandle;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A record that a stream has delivered, to be acknowledged when it is done. Thread-safe. */
public final class CommittableRecord<K, V> implements Acknowledgeable {
    private final ConsumerRecord<K, V> record;
    private final AckHandle delivered;
    private final String metadata;

    CommittableRecord(ConsumerRecord<K, V> record, AckHandle delivered, String metadata) {
        this.record = record;
        this.delivered = delivered;
        this.metadata = metadata;
    }

    /** The record as Kafka has it. */
    public ConsumerRecord<K, V> record() {
        return record;
    }

    /** Its key; null where the record has none. */
    public K key() {
        return record.key();
    }

    /** Its value; null where the record has none. */
    public V value() {
        return record.value();
    }

    /** Its partition. */
    public TopicPartition partition() {
        return delivered.partition();
    }

    /** Its offset, to acknowledge or to commit. */
    public Offset offset() {
        return new Offset(delivered, record.offset(), metadata);
    }

    /** A value made from the record, with the same offset. */
    public <R> Committable<R> map(Function<? super ConsumerRecord<K, V>, ? extends R> mapper) {
        return new Committable<>(mapper.apply(record), offset());
    }

    /** Which assignment of the partition it belongs to. */
    AckHandle delivered() {
        return delivered;
    }

    @Override
    public void acknowledge() {
        delivered.done(record.offset(), metadata);
    }

    @Override
    public void acknowledgeUpTo() {
        delivered.doneUpTo(record.offset(), metadata);
    }

    @Override
    public CompletionStage<@Nullable Void> commit() {
        acknowledge();
        return delivered.commit();
    }

    @Override
    public String toString() {
        return partition() + "@" + record.offset();
    }
}
