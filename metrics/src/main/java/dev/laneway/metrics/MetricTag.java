package dev.laneway.metrics;

/**
 * The tags of metrics, by OpenTelemetry's conventions for messaging (in development, so the names are constants of our
 * own), and for lag by those of kafka-lag-exporter. Immutable.
 */
public enum MetricTag {
    /** The consumer's name, {@link dev.laneway.Options#name()}; with -2, -3 where one of that name is there already. */
    CLIENT("messaging.client.id", "client_id", "consumers in the process"),
    /** The consumer group; empty where there is none. */
    GROUP("messaging.consumer.group.name", "group", "one for each consumer"),
    /** The topic. */
    TOPIC("messaging.destination.name", "topic", "topics read, at most 100, then `other`"),
    /** The number of the partition. */
    PARTITION("messaging.destination.partition.id", "partition", "assigned partitions, gone with them"),
    /** What the client did: {@code commit} or {@code transaction}. */
    OPERATION("messaging.operation.name", "operation", "2"),
    /** The class of the failure; {@code none} where there was none, with OpenTelemetry no attribute. */
    ERROR("error.type", "error", "classes of exceptions, at most 50, then `other`"),
    /** Why partitions are paused, a {@link dev.laneway.PauseReason}. */
    REASON("laneway.reason", "reason", "10"),
    /** What workers do: {@code busy}, {@code waiting} or {@code idle}. */
    ACTIVITY("laneway.activity", "activity", "3"),
    /** A {@link dev.laneway.Health.Cause}, written as {@code laneway check} writes its verdicts: {@code stuck-key}. */
    CAUSE("laneway.cause", "cause", "22"),
    /** A {@link dev.laneway.State}. */
    STATE("laneway.state", "state", "6"),
    /** What a rebalance did: {@code assigned}, {@code revoked} or {@code lost}. */
    EVENT("laneway.event", "event", "3");

    private final String key;
    private final String exporterKey;
    private final String values;

    MetricTag(String key, String exporterKey, String values) {
        this.key = key;
        this.exporterKey = exporterKey;
        this.values = values;
    }

    /** Its key in all metrics but those of lag. */
    public String key() {
        return key;
    }

    /** Its key in metrics of lag, as kafka-lag-exporter has it. */
    public String exporterKey() {
        return exporterKey;
    }

    /** How many values there can be, in words. */
    public String howMany() {
        return values;
    }
}
