package dev.laneway.engine;

/**
 * What may be committed of a partition. Immutable.
 *
 * @param offset the lowest offset that is not done
 * @param metadata which records beyond it are done, see {@link OffsetMap}
 */
record Progress(long offset, String metadata) {}
