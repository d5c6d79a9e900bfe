package dev.laneway.engine.offsets;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a commit lists as spilled. Immutable.
 *
 * @param laneKey whose lane keys they are; null where they are the records' own keys
 * @param keys in any order
 */
public record SpilledKeys(@Nullable LaneKeyId laneKey, List<SpilledKey> keys) {
    /** Where nothing is spilled. */
    public static final SpilledKeys NONE = new SpilledKeys(null, List.of());

    /** Copies the list. */
    public SpilledKeys {
        keys = List.copyOf(keys);
    }

    /** The records' own keys. */
    public static SpilledKeys of(List<SpilledKey> keys) {
        return new SpilledKeys(null, keys);
    }

    /** Other keys of the same kind. */
    SpilledKeys with(List<SpilledKey> others) {
        return new SpilledKeys(laneKey, others);
    }

    public boolean isEmpty() {
        return keys.isEmpty();
    }
}
