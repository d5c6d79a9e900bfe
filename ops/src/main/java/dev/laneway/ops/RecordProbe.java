package dev.laneway.ops;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/** Reads the first record at or above an offset of each of some partitions. */
public interface RecordProbe {
    /** Reads nothing: no answer for any partition. */
    RecordProbe NONE = (_, _) -> Map.of();

    /**
     * Reads them. Partitions without an answer in time are missing.
     *
     * @return the record's timestamp in milliseconds; empty if the log was read to its end and no record is there
     */
    Map<TopicPartition, OptionalLong> timestamps(Map<TopicPartition, Long> offsets, Duration limit);
}
