package dev.laneway.ops.plan;

/**
 * Settings of the consumer that must fit. Immutable.
 *
 * @param maxPollRecords max.poll.records
 * @param maxPollIntervalSeconds max.poll.interval.ms
 */
public record KafkaSettings(int maxPollRecords, double maxPollIntervalSeconds) {
    /** Kafka's defaults. */
    public static final KafkaSettings USUAL = new KafkaSettings(500, 300);

    /** Checks each value. */
    public KafkaSettings {
        Check.atLeast("maxPollRecords", maxPollRecords, 1);
        Check.positive("maxPollIntervalSeconds", maxPollIntervalSeconds);
    }
}
