package dev.laneway.engine.sim;

import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.KeyHash;
import dev.laneway.engine.offsets.SpilledKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** What maps say of the records of one partition: by their offsets, and by the keys that they list. */
final class SimMap {
    private final Supplier<List<ConsumerRecord<byte[], byte[]>>> log;
    private final SimPlan plan;
    private final Map<Long, Long> hashes = new HashMap<>();

    /** @param log the records that are there now */
    SimMap(SimPlan plan, Supplier<List<ConsumerRecord<byte[], byte[]>>> log) {
        this.plan = plan;
        this.log = log;
    }

    private long hash(ConsumerRecord<byte[], byte[]> record) {
        return KeyHash.of(plan.laneKey(record));
    }

    void know(ConsumerRecord<byte[], byte[]> record) {
        hashes.put(record.offset(), hash(record));
    }

    /** Whether the map says that the record at this offset is done. */
    boolean isDone(DecodedMetadata.@Nullable Map map, long offset) {
        return map != null && offset < map.cursor() && map.isDone(offset) && !isListed(map, offset);
    }

    /** Whether the map says by its key that the record at this offset is not done. */
    boolean isListed(DecodedMetadata.Map map, long offset) {
        if (map.keys().isEmpty() || offset >= map.cursor()) {
            return false;
        }
        if (!hashes.containsKey(offset)) {
            log.get().forEach(record -> hashes.putIfAbsent(record.offset(), hash(record)));
        }
        Long hash = hashes.get(offset);
        for (SpilledKey key : map.keys()) {
            if (hash != null && key.hash() == hash && offset >= key.from()) {
                return true;
            }
        }
        return false;
    }

    /** The same of a record that may be in the log no more. */
    boolean isListed(DecodedMetadata.Map map, ConsumerRecord<byte[], byte[]> record) {
        hashes.putIfAbsent(record.offset(), hash(record));
        return isListed(map, record.offset());
    }

    /** Whether the log has a record at this offset. */
    boolean isThere(long offset) {
        return log.get().stream().anyMatch(record -> record.offset() == offset);
    }
}
