package dev.laneway.engine;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The user's own metadata of acknowledged records, and which of it a commit carries. Guarded by the feed's guard. */
final class UserMetadata {
    /** Those of records that are acknowledged and that no commit covers yet. */
    private final TreeMap<Long, String> uncovered = new TreeMap<>();

    private String covered = "";

    /** What an earlier owner has committed. */
    void found(String metadata) {
        covered = metadata;
    }

    /** A record is acknowledged; everything below an offset may be committed. */
    void add(long offset, @Nullable String metadata, long committable) {
        uncovered.put(offset, metadata == null ? "" : metadata);
        var head = uncovered.headMap(committable);
        if (!head.isEmpty()) {
            covered = head.lastEntry().getValue();
            head.clear();
        }
    }

    /** The note of the last record that a commit covers. */
    String covered() {
        return covered;
    }

    void clear() {
        uncovered.clear();
    }
}
