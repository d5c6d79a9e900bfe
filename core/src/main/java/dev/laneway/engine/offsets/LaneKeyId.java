package dev.laneway.engine.offsets;

import dev.laneway.LaneKey;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Names the id of a {@link LaneKey} in commit metadata: keys that one extractor has found mean nothing to another one.
 * Immutable.
 *
 * @param hash the first 32 bits of SHA-256 of the id in UTF-8
 */
public record LaneKeyId(int hash) {

    /** That of a lane key; null for the records' own keys. */
    public static @Nullable LaneKeyId of(@Nullable LaneKey laneKey) {
        return laneKey == null ? null : of(laneKey.id());
    }

    static LaneKeyId of(String id) {
        return new LaneKeyId((int) (KeyHash.plain(id.getBytes(StandardCharsets.UTF_8)) >>> Integer.SIZE));
    }

    /** The hash as people read it, and {@code offsets describe} shows it: 8 hexadecimal digits. */
    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(hash);
    }
}
