package dev.laneway.engine.offsets;

/**
 * What may be committed of a partition. Immutable.
 *
 * @param offset the lowest offset that is not done
 * @param metadata which records beyond it are done, see {@link OffsetMap}
 */
public record Progress(long offset, String metadata) {}
