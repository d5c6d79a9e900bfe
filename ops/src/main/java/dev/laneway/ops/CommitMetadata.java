package dev.laneway.ops;

import dev.laneway.ops.CommitMap.Run;
import dev.laneway.ops.CommitMap.SpilledKey;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The metadata beside a committed offset: who wrote it, and what it names done. Decoded independently of the engine.
 * Immutable.
 *
 * @param writer whose it is
 * @param encoding how the writer names the form of a map; null if it is no map that can be read
 * @param chars its length in UTF-16 characters, which the broker limits
 * @param done what is done beyond the committed offset: ascending, not touching each other; nothing without a map
 * @param keys of which the records from an offset on are undone, whatever {@code done} names; ascending by that offset
 * @param laneKey the first 32 bits of SHA-256 of the lane key's id, if {@code keys} are lane keys; null if they are the
 *     records' own, or there are none
 * @param reason why nothing is known from it; null if it is empty or a map that can be read
 */
public record CommitMetadata(
        Writer writer,
        @Nullable String encoding,
        int chars,
        List<Run> done,
        List<SpilledKey> keys,
        @Nullable Integer laneKey,
        @Nullable String reason) {
    /** No metadata. */
    static final CommitMetadata EMPTY = new CommitMetadata(Writer.NONE, null, 0, List.of(), null);

    /** Copies the lists. */
    public CommitMetadata {
        done = List.copyOf(done);
        keys = List.copyOf(keys);
    }

    /** Without keys. */
    public CommitMetadata(
            Writer writer, @Nullable String encoding, int chars, List<Run> done, @Nullable String reason) {
        this(writer, encoding, chars, done, List.of(), null, reason);
    }

    /** Who wrote metadata. */
    public enum Writer {
        /** Nobody: there is none. */
        NONE,
        /** Laneway; its maps, also those that cannot be read. */
        LANEWAY,
        /** Confluent Parallel Consumer; its maps, also those that cannot be read. */
        PARALLEL_CONSUMER,
        /** Kafka Streams, which keeps a time there. */
        KAFKA_STREAMS,
        /** Another program, or a user's own metadata. */
        OTHER
    }

    /** Whether it is a map, and cannot be read. What it has named done is then handled again. */
    public boolean isUnreadable() {
        return switch (writer) {
            case LANEWAY, PARALLEL_CONSUMER -> reason != null;
            case NONE, KAFKA_STREAMS, OTHER -> false;
        };
    }

    /**
     * Reads metadata, whoever wrote it. Throws nothing.
     *
     * @param offset the committed offset that it stands beside
     */
    static CommitMetadata read(TopicPartition id, long offset, String metadata) {
        if (metadata.isEmpty()) {
            return EMPTY;
        }
        if (!CommitMap.isLike(metadata)) {
            return Base64Metadata.read(offset, metadata);
        }
        try {
            CommitMap map = CommitMap.read(id, offset, metadata);
            return new CommitMetadata(
                    Writer.LANEWAY,
                    CommitMap.encoding(metadata),
                    metadata.length(),
                    map.done(),
                    map.keys(),
                    map.laneKey(),
                    null);
        } catch (IllegalArgumentException wrong) {
            return new CommitMetadata(Writer.LANEWAY, null, metadata.length(), List.of(), wrong.getMessage());
        }
    }
}
