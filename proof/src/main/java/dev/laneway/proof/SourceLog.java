package dev.laneway.proof;

import dev.laneway.cli.workload.Payload;
import dev.laneway.ops.CommitMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * What the input of a chaos run holds: the key of each record, and its predecessor in its key. Filled once, then read.
 */
final class SourceLog {
    private static final int NONE = -1;

    private final String topic;
    private final int[][] keys;
    private final int[][] predecessors;
    private final BitSet indices = new BitSet();
    private final Map<Integer, Last> lasts = new HashMap<>();
    /** Of keys, as maps list them. */
    private final Map<Integer, Long> hashes = new HashMap<>();

    private long faults;

    private record Last(int partition, int offset, int sequence) {}

    /** Expects records up to these offsets of one topic's partitions. */
    SourceLog(Map<TopicPartition, Long> ends) {
        topic = ends.keySet().iterator().next().topic();
        keys = new int[ends.size()][];
        predecessors = new int[ends.size()][];
        ends.forEach((id, end) -> {
            keys[id.partition()] = new int[Math.toIntExact(end)];
            predecessors[id.partition()] = new int[Math.toIntExact(end)];
            Arrays.fill(keys[id.partition()], NONE);
            Arrays.fill(predecessors[id.partition()], NONE);
        });
    }

    /** Takes the next record of its partition. */
    void add(ConsumerRecord<byte[], byte[]> record) {
        add(record.partition(), Math.toIntExact(record.offset()), Payload.of(record.value()));
    }

    void add(int partition, int offset, Payload payload) {
        keys[partition][offset] = payload.key();
        Last last = lasts.put(payload.key(), new Last(partition, offset, payload.sequence()));
        if (last != null && last.partition() == partition) {
            predecessors[partition][offset] = last.offset();
        }
        boolean inTurn = payload.sequence() == (last == null ? 0 : last.sequence() + 1);
        int index = Math.toIntExact(payload.index());
        if (!inTurn || indices.get(index) || (last != null && last.partition() != partition)) {
            faults++;
        }
        indices.set(index);
    }

    /** How many records are missing, duplicated or out of order in the log itself, which would be Kafka's fault. */
    long faults(long produced) {
        return faults + produced - indices.cardinality();
    }

    TopicPartition id(int partition) {
        return new TopicPartition(topic, partition);
    }

    int partitions() {
        return keys.length;
    }

    long records() {
        return Arrays.stream(keys).mapToLong(offsets -> offsets.length).sum();
    }

    int end(int partition) {
        return keys[partition].length;
    }

    int key(int partition, long offset) {
        return keys[partition][Math.toIntExact(offset)];
    }

    /** The same map without what its spilled keys call undone: its runs alone tell what is done. */
    CommitMap withoutSpilled(int partition, CommitMap map) {
        if (map.keys().isEmpty()) {
            return map;
        }
        Map<Long, Long> from = new HashMap<>();
        map.keys().forEach(key -> from.put(key.hash(), key.from()));
        List<CommitMap.Run> done = new ArrayList<>();
        for (CommitMap.Run run : map.done()) {
            long start = run.from();
            for (long offset = run.from(); offset < run.to(); offset++) {
                long hash = hashes.computeIfAbsent(
                        key(partition, offset), key -> CommitMap.SpilledKey.hash(Payload.keyBytes(key)));
                if (offset >= from.getOrDefault(hash, Long.MAX_VALUE)) {
                    addRun(done, start, offset);
                    start = offset + 1;
                }
            }
            addRun(done, start, run.to());
        }
        return new CommitMap(map.offset(), done);
    }

    private static void addRun(List<CommitMap.Run> runs, long from, long to) {
        if (from < to) {
            runs.add(new CommitMap.Run(from, to));
        }
    }

    /** The record of the same key before this one; negative when it is the first. */
    int predecessor(int partition, long offset) {
        return predecessors[partition][Math.toIntExact(offset)];
    }
}
