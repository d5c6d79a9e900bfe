package dev.laneway;

import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a group starts to read partitions without a committed offset. With a committed offset it has no effect: the
 * group goes on there after restarts and rebalances. The start is committed as soon as it is found, before a record is
 * read. A partition that is added to its topic later starts at its beginning, unless {@link #offsets} names it or the
 * caller assigns partitions. A plain stream commits nothing, so it uses the position each time.
 *
 * <p>{@link Laneway#resetOffsets} starts a group anew. Immutable.
 */
public sealed interface StartPosition {
    /** At the group's committed offset or, without one, by {@code auto.offset.reset}. The default. */
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

    /** At the first record with this timestamp or a later one; after the last record if there is none. */
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
