package dev.laneway.bench.scenario;

/**
 * A figure that others have published, or that cannot be measured here. It is in the tables beside the measured ones,
 * marked. Immutable.
 *
 * @param who what was measured
 * @param figure as it was published
 * @param source where and when
 */
public record Published(String who, String figure, String source) {}
