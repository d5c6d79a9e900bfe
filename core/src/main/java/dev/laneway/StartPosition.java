package dev.laneway;

import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a partition starts. Anything but {@link #committed()} overrides the group's committed offset, once per
 * partition and process: at the partition's first assignment. When it comes back after a rebalance, the committed
 * offset counts. Immutable.
 */
public sealed interface StartPosition {
    /** At the group's committed offset, or where {@code auto.offset.reset} says when there is none. The default. */
    static StartPosition committed() {
        return new Committed();
    }

    /** At the first offset that the log still has. */
    static StartPosition earliest() {
        return new Earliest();
    }

    /** After the last record. */
    static StartPosition latest() {
        return new Latest();
    }

    /** At these offsets; partitions that the map does not name start as {@link #committed()} says. */
    static StartPosition offsets(Map<TopicPartition, Long> offsets) {
        return new Offsets(offsets);
    }

    /** At the first record with this timestamp or a later one; after the last record where there is none. */
    static StartPosition timestamp(Instant timestamp) {
        return new Timestamp(timestamp);
    }

    /** See {@link StartPosition#committed}. */
    record Committed() implements StartPosition {}

    /** See {@link StartPosition#earliest}. */
    record Earliest() implements StartPosition {}

    /** See {@link StartPosition#latest}. */
    record Latest() implements StartPosition {}

    /** See {@link StartPosition#offsets}. */
    record Offsets(Map<TopicPartition, Long> offsets) implements StartPosition {
        /** Copies the map and refuses negative offsets. */
        public Offsets {
            offsets = Map.copyOf(offsets);
            offsets.forEach((partition, offset) -> Checks.atLeast("startAt offset of " + partition, offset, 0));
        }
    }

    /** See {@link StartPosition#timestamp}. */
    record Timestamp(Instant timestamp) implements StartPosition {}
}
