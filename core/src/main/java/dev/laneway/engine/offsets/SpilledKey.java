package dev.laneway.engine.offsets;

/**
 * A key whose records from an offset on are undone, none of them listed by itself. Immutable.
 *
 * @param hash of the key, or of the lane key, see {@link KeyHash}
 * @param from the lowest of these offsets
 */
public record SpilledKey(long hash, long from) {}
