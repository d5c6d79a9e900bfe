package dev.laneway.engine.track;

import dev.laneway.engine.offsets.KeyHash;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The lowest record of a partition that must be read again, now or after a restart. Immutable.
 *
 * @param keyHash the hash of its key, as {@code offsets describe} shows it; null where it has none or that is not known
 * @param timestamp its timestamp, or that of an earlier record of its key, in milliseconds since the epoch; negative
 *     where neither is known
 */
public record UndoneRecord(long offset, @Nullable String keyHash, long timestamp) {
    static final long UNKNOWN = -1;

    static UndoneRecord of(ConsumerRecord<byte[], byte[]> record, boolean isKeyed) {
        return new UndoneRecord(
                record.offset(),
                isKeyed ? KeyHash.text(KeyHash.of(HeldRecord.laneKey(record))) : null,
                record.timestamp());
    }
}
