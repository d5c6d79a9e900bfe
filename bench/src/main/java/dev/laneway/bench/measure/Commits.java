package dev.laneway.bench.measure;

import java.util.Locale;

/** When offsets are committed. Immutable. */
public enum Commits {
    /** Never; a peer whose commits cannot be switched off says so in its notes. */
    NONE,
    /** In batches, after the records are handled. */
    BATCH,
    /** Each poll's before any of its records is handled, waiting for the answer. */
    POLL_AHEAD,
    /** Each record's before it is handled, waiting for the answer. */
    RECORD_AHEAD;

    public static Commits of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
