package dev.laneway;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Notes which records handlers have run, in which order and beside which others. Thread-safe. */
final class Journal {
    /** One record that a handler has finished. */
    record Entry(TopicPartition partition, long offset, String key, String value) {}

    /** What must not overlap: a key of a partition, or the partition itself. */
    interface Lane<K, V> {
        Object of(ConsumerRecord<K, V> record);
    }

    static <V> Lane<String, V> byKey() {
        return record -> record.topic() + record.partition() + "/" + record.key();
    }

    static <K, V> Lane<K, V> byPartition() {
        return record -> record.topic() + record.partition();
    }

    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final Map<Object, Long> running = new ConcurrentHashMap<>();
    private final Map<Object, Long> last = new ConcurrentHashMap<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();

    /**
     * Notes the record when the handler has returned, and any record that it overlaps in its lane or that it comes
     * after.
     */
    <V> RecordHandler<String, V> watch(Lane<String, V> lanes, RecordHandler<String, V> handler) {
        return record -> {
            Object lane = lanes.of(record);
            Long beside = running.putIfAbsent(lane, record.offset());
            if (beside != null) {
                violations.add(lane + ": " + record.offset() + " runs beside " + beside);
            }
            try {
                Long before = last.get(lane);
                if (before != null && before > record.offset()) {
                    violations.add(lane + ": " + record.offset() + " runs after " + before);
                }
                handler.handle(record);
                last.put(lane, record.offset());
                add(record);
            } finally {
                running.remove(lane);
            }
        };
    }

    /** Notes the record when the handler has returned. */
    <K, V> RecordHandler<K, V> note(RecordHandler<K, V> handler) {
        return record -> {
            handler.handle(record);
            add(record);
        };
    }

    void add(ConsumerRecord<?, ?> record) {
        entries.add(new Entry(
                new TopicPartition(record.topic(), record.partition()),
                record.offset(),
                String.valueOf(record.key()),
                String.valueOf(record.value())));
        size.incrementAndGet();
    }

    int size() {
        return size.get();
    }

    List<Entry> entries() {
        return new ArrayList<>(entries);
    }

    /** Values in the order in which they were finished. */
    List<String> values() {
        return entries.stream().map(Entry::value).toList();
    }

    Set<String> keys() {
        return entries.stream().map(Entry::key).collect(Collectors.toSet());
    }

    /** Offsets of a partition that were finished at least once. */
    Set<Long> offsets(int partition) {
        return entries.stream()
                .filter(entry -> entry.partition().partition() == partition)
                .map(Entry::offset)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Records that were finished more than once. */
    Collection<Entry> repeated() {
        return entries.stream()
                .collect(Collectors.groupingBy(entry -> entry, Collectors.counting()))
                .entrySet()
                .stream()
                .filter(count -> count.getValue() > 1)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Overlaps and steps back within a lane. */
    Collection<String> violations() {
        return List.copyOf(violations);
    }
}
