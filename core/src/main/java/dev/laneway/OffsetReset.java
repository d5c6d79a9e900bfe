package dev.laneway;

import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a group's committed offsets were moved to, or would be; see {@link Laneway#resetOffsets}. Immutable.
 *
 * @param group the group
 * @param moves one for each partition, by topic and number
 */
public record OffsetReset(String group, List<Move> moves) {
    /** Copies the list. */
    public OffsetReset {
        moves = List.copyOf(moves);
    }

    /**
     * One partition's move. Immutable.
     *
     * @param partition the partition
     * @param from the offset that was committed; empty when there was none
     * @param to the offset of the next record that the group gets
     */
    public record Move(TopicPartition partition, OptionalLong from, long to) {
        /**
         * How many offsets the move skips; negative if it goes back, 0 if nothing was committed. There may be fewer
         * records: compaction, transactions and retention leave gaps between offsets.
         */
        public long skipped() {
            return from.isEmpty() ? 0 : to - from.getAsLong();
        }

        @Override
        public String toString() {
            return partition + " from " + (from.isEmpty() ? "none" : from.getAsLong()) + " to " + to;
        }
    }

    @Override
    public String toString() {
        return moves.stream().map(Move::toString).collect(Collectors.joining(", "));
    }
}
