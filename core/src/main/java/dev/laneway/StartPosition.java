package dev.laneway;

import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a group starts to read a partition. It counts where the group has committed nothing, and nowhere else: a group
 * that has begun goes on at its committed offset, whatever the number of processes, restarts and rebalances. Where it
 * counts, the start is committed as soon as it is found, before a record is read. A partition that was added to its
 * topic after the group began starts at its beginning, unless {@link #offsets} names it; where the caller assigns
 * partitions there is no such thing. A plain stream commits nothing, so its position counts each time.
 *
 * <p>To start a group anew on purpose, see {@link Laneway#resetOffsets}. Immutable.
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
