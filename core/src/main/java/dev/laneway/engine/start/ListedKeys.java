package dev.laneway.engine.start;

import dev.laneway.CommitMode;
import dev.laneway.ConfigurationException;
import dev.laneway.LaneKey;
import dev.laneway.NullKeys;
import dev.laneway.Options;
import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.KeyHash;
import dev.laneway.engine.offsets.LaneKeyId;
import dev.laneway.engine.offsets.SpilledKey;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a member can use of a map that lists spilled keys: it may work in another order than the one that has written
 * it, or find keys in another way, and not know how to read the records of a key again. Then nothing counts as done
 * from the first such record on.
 */
final class ListedKeys {
    private static final Logger log = LoggerFactory.getLogger(ListedKeys.class);
    private static final long NULL = KeyHash.of(null);

    private ListedKeys() {}

    /**
     * The part of the map that can be used; null where that is nothing.
     *
     * @param spills whether this member can read records again
     * @throws ConfigurationException with exactly-once, where done records would be handled again
     */
    static DecodedMetadata.@Nullable Map usable(
            TopicPartition id, DecodedMetadata.Map map, Options options, boolean spills) {
        if (!map.keys().isEmpty() && spills && !Objects.equals(map.laneKey(), LaneKeyId.of(options.laneKey()))) {
            return ofAnotherLaneKey(id, map, options);
        }
        long from = Long.MAX_VALUE;
        for (SpilledKey key : map.keys()) {
            boolean isRead = spills && (key.hash() != NULL || options.nullKeys() == NullKeys.ORDERED);
            from = isRead ? from : Math.min(from, key.from());
        }
        if (from == Long.MAX_VALUE) {
            return map;
        }
        if (options.commit() instanceof CommitMode.ExactlyOnce) {
            throw new ConfigurationException(
                    "ordering",
                    options.ordering() + ", null keys " + options.nullKeys(),
                    "must be what it was when " + id + " was committed, whose map lists keys with records that wait in"
                            + " the log",
                    "go on in that order until none is listed (./laneway offsets describe)");
        }
        log.warn(
                "{}: its map lists keys with records that wait in the log, which this order does not read again; what"
                        + " is done from offset {} on is handled again",
                id,
                from);
        return map.before(from);
    }

    private static DecodedMetadata.@Nullable Map ofAnotherLaneKey(
            TopicPartition id, DecodedMetadata.Map map, Options options) {
        LaneKey laneKey = options.laneKey();
        String own = laneKey == null ? "none" : laneKey.id() + " (hash " + LaneKeyId.of(laneKey) + ")";
        LaneKeyId other = map.laneKey();
        String theirs = other == null ? "the record's own key" : "a lane key whose id has hash " + other;
        if (options.commit() instanceof CommitMode.ExactlyOnce) {
            throw new ConfigurationException(
                    "laneKey",
                    own,
                    "must be what it was when " + id + " was committed, whose map lists keys with records that wait in"
                            + " the log by " + theirs,
                    "go on with that one until none is listed (./laneway offsets describe)");
        }
        long from = map.keys().getFirst().from();
        log.warn(
                "{}: its map lists keys with records that wait in the log by {}, and laneKey is {}; what is done from"
                        + " offset {} on is handled again",
                id,
                theirs,
                own,
                from);
        return map.before(from);
    }
}
