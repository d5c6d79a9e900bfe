package dev.laneway.engine.runtime;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Records, where a Java agent traces Kafka's clients. Such an agent cannot know when a polled record is handled, so it
 * wraps the lists that {@link ConsumerRecords} returns: an iterator begins a record's span when it returns the record,
 * on the thread that asks, and ends it when it is asked for more. A thread that iterates for other reasons would make
 * spans of nothing; a worker that iterates over its one record gives the handler its span.
 */
public final class TracedRecords {
    private static final TopicPartition SOME = new TopicPartition("none", 0);
    private static final boolean TRACED = findTracing();

    private TracedRecords() {}

    /** Kafka returns a list of the JDK's; one of any other class is an agent's. */
    private static boolean findTracing() {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(SOME.topic(), SOME.partition(), 0, null, null);
        List<?> listed = new ConsumerRecords<>(Map.of(SOME, List.of(record)), Map.of()).records(SOME);
        return !listed.getClass().getModule().equals(List.class.getModule());
    }

    /** Whether an agent traces Kafka's clients in this process. */
    public static boolean areTraced() {
        return TRACED;
    }

    /** The records of one partition, in a list that makes no span. */
    public static List<ConsumerRecord<byte[], byte[]>> of(ConsumerRecords<byte[], byte[]> polled, TopicPartition id) {
        List<ConsumerRecord<byte[], byte[]>> records = polled.records(id);
        return TRACED
                ? Arrays.asList(records.<ConsumerRecord<byte[], byte[]>>toArray(length -> array(length)))
                : records;
    }

    @SuppressWarnings("unchecked") // There are no arrays of a generic type.
    private static ConsumerRecord<byte[], byte[]>[] array(int length) {
        return (ConsumerRecord<byte[], byte[]>[]) new ConsumerRecord<?, ?>[length];
    }

    /** Calls a handler of one record as a loop over polled records would. */
    public static void handle(ConsumerRecord<byte[], byte[]> record, Runnable handler) {
        Iterator<ConsumerRecord<byte[], byte[]>> loop = traced(List.of(record)).iterator();
        try {
            loop.next();
            handler.run();
        } finally {
            var _ = loop.hasNext();
        }
    }

    private static <K, V> List<ConsumerRecord<K, V>> traced(List<ConsumerRecord<K, V>> records) {
        ConsumerRecord<K, V> first = records.getFirst();
        TopicPartition id = new TopicPartition(first.topic(), first.partition());
        return new ConsumerRecords<>(Map.of(id, records), Map.of()).records(id);
    }

    /** Records of one partition for a handler, which makes a span of each as it iterates. Used by one thread. */
    public static final class Loop<K, V> extends AbstractList<ConsumerRecord<K, V>> {
        private final List<ConsumerRecord<K, V>> records;
        private @Nullable Iterator<ConsumerRecord<K, V>> latest;

        public Loop(List<ConsumerRecord<K, V>> records) {
            this.records = records;
        }

        @Override
        public ConsumerRecord<K, V> get(int index) {
            return records.get(index);
        }

        @Override
        public int size() {
            return records.size();
        }

        @Override
        public Iterator<ConsumerRecord<K, V>> iterator() {
            Iterator<ConsumerRecord<K, V>> iterator = traced(records).iterator();
            latest = iterator;
            return iterator;
        }

        /** Ends the span of a record at which the handler has left its loop. */
        public void end() {
            Iterator<ConsumerRecord<K, V>> left = latest;
            if (left != null) {
                var _ = left.hasNext();
            }
        }
    }
}
