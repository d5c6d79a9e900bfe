package dev.laneway.engine.offsets;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The user's own metadata of acknowledged records, and which of it a commit carries. Guarded by the feed's guard. */
public final class UserMetadata {
    /** Those of records that are acknowledged and that no commit covers yet. */
    private final TreeMap<Long, String> uncovered = new TreeMap<>();

    private String covered = "";

    /** What an earlier owner has committed. */
    public void found(String metadata) {
        covered = metadata;
    }

    /** A record is acknowledged; everything below an offset may be committed. */
    public void add(long offset, @Nullable String metadata, long committable) {
        uncovered.put(offset, metadata == null ? "" : metadata);
        var head = uncovered.headMap(committable);
        if (!head.isEmpty()) {
            covered = head.lastEntry().getValue();
            head.clear();
        }
    }

    /** The note of the last record that a commit covers. */
    public String covered() {
        return covered;
    }

    /** Of how many records it is kept; for tests of the bound on memory. */
    int kept() {
        return uncovered.size();
    }

    public void clear() {
        uncovered.clear();
    }
}
