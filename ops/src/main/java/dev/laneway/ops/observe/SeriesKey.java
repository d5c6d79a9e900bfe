package dev.laneway.ops.observe;

/** Which series it is. Immutable; its hash is computed once, since that of a metric goes through its tags. */
record SeriesKey(String source, Metric metric, int hash) {
    static SeriesKey of(String source, Metric metric) {
        return new SeriesKey(source, metric, 31 * source.hashCode() + metric.hashCode());
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
