package dev.laneway.orders;

/**
 * The topics that the tracker on Laneway has for itself, with as many partitions each. Immutable.
 *
 * @param events of both input topics, by order; without a value they ask to forget an order
 * @param state the latest state of each order of the same partition of {@code events}; compacted
 */
record OwnTopics(String events, String state) {
    /** The largest record of them: a state holds several events, each of which may be as large as brokers allow. */
    static final int MOST_BYTES = 16 << 20;

    /** Those of an application. */
    static OwnTopics of(String applicationId) {
        return new OwnTopics(applicationId + "-events", applicationId + "-state");
    }
}
