package dev.laneway.ops.observe;

/** Which series it is. Immutable. */
record SeriesKey(String source, Metric metric) {}
