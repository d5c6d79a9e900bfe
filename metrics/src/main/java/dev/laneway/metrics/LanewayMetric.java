package dev.laneway.metrics;

import static dev.laneway.metrics.MetricTag.ACTIVITY;
import static dev.laneway.metrics.MetricTag.CAUSE;
import static dev.laneway.metrics.MetricTag.ERROR;
import static dev.laneway.metrics.MetricTag.EVENT;
import static dev.laneway.metrics.MetricTag.OPERATION;
import static dev.laneway.metrics.MetricTag.PARTITION;
import static dev.laneway.metrics.MetricTag.REASON;
import static dev.laneway.metrics.MetricTag.STATE;
import static dev.laneway.metrics.MetricTag.TOPIC;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The one table of metrics: Micrometer's meters, OpenTelemetry's instruments and docs/metrics.md are made from it or
 * checked against it. Each has the tags {@link MetricTag#CLIENT} and {@link MetricTag#GROUP} beside those that it
 * names. Immutable.
 */
public enum LanewayMetric {
    PROCESSED(counter("laneway.records.processed", "records", "Records done, however they ended")),
    FAILED(counter("laneway.attempts.failed", "attempts", "Attempts that failed")),
    RETRIED(counter("laneway.retries", "attempts", "Attempts after the first")),
    DEAD_LETTERED(counter("laneway.dead.letters", "records", "Records that a dead-letter topic has acknowledged")),
    SKIPPED(counter("laneway.records.skipped", "records", "Records given up, which count as done")),
    EMITTED(counter("laneway.records.emitted", "records", "Records that handlers emitted and brokers acknowledged")),
    LATE(counter("laneway.results.late", "results", "Results that came after their partition was given up; ignored")),
    DROPPED(counter("laneway.records.dropped", "records", "Records in flight when a drain or close limit passed")),
    SPILLED(counter("laneway.records.spilled", "records", "Times that a record behind a busy key was left to the log")),
    REFILLED(counter("laneway.records.refilled", "records", "Times that such a record was read again")),
    LOST(counter("laneway.records.lost", "records", "Records left to the log and gone when their turn came")),
    ARCHIVED(counter("laneway.records.archived", "records", "Records of a share group that no member gets again")),
    CONSUMED(counter("messaging.client.consumed.messages", "messages", "Records fetched for handlers", TOPIC)),
    COMMITS(counter("laneway.commits", "commits", "Commits that the broker confirmed")),
    FAILED_COMMITS(counter("laneway.commits.failed", "commits", "Commits that failed or were not answered")),
    TRANSACTIONS(counter("laneway.transactions", "transactions", "Transactions that ended", ERROR)),
    REBALANCES(counter("laneway.rebalances", "rebalances", "Assignments that Kafka has reported")),
    WORKERS_STARTED(counter("laneway.workers.started", "workers", "Workers that were started")),

    LAG(gauge(
            "kafka.consumergroup.group.lag",
            "records",
            "Records from the first undone one to the log's end",
            TOPIC,
            PARTITION)),
    LAG_SECONDS(gauge(
            "kafka.consumergroup.group.lag.seconds",
            "seconds",
            "How long ago the log ended where the group is, as far as this process has seen",
            TOPIC,
            PARTITION)),
    OFFSET(gauge("kafka.consumergroup.group.offset", "offset", "The committed offset", TOPIC, PARTITION)),
    MOST_LAG(gauge("kafka.consumergroup.group.max.lag", "records", "The largest lag of a partition")),
    MOST_LAG_SECONDS(gauge("kafka.consumergroup.group.max.lag.seconds", "seconds", "The largest lag in seconds")),
    PARTITION_IN_FLIGHT(gauge(
            "laneway.partition.records.in.flight",
            "records",
            "Records started, or behind a busy key",
            TOPIC,
            PARTITION)),
    PARTITION_HELD(
            gauge("laneway.partition.records.held", "records", "Records fetched and not done", TOPIC, PARTITION)),
    PARTITION_LANES(gauge("laneway.partition.lanes", "lanes", "Busy keys", TOPIC, PARTITION)),
    PARTITION_SPILLED(gauge(
            "laneway.partition.records.in.log",
            "records",
            "Records that wait in the log behind busy keys",
            TOPIC,
            PARTITION)),
    PARTITION_AGE(gauge(
            "laneway.partition.oldest.age", "seconds", "How long the oldest record is unfinished", TOPIC, PARTITION)),
    ASSIGNED(gauge("laneway.partitions.assigned", "partitions", "Assigned partitions")),
    PAUSED(gauge("laneway.partitions.paused", "partitions", "Partitions that are not fetched", REASON)),
    IN_FLIGHT(gauge("laneway.records.in.flight", "records", "Records started, or behind a busy key")),
    LANES(gauge("laneway.lanes", "lanes", "Busy keys of all partitions")),
    HELD(gauge("laneway.records.held", "records", "Records fetched and not done")),
    HELD_LIMIT(gauge("laneway.records.held.limit", "records", "The present budget of records")),
    HELD_BYTES(gauge("laneway.held.size", "bytes", "Keys and values of held records")),
    HELD_BYTES_LIMIT(gauge("laneway.held.size.limit", "bytes", "The budget of bytes")),
    SPILLED_KEYS(gauge("laneway.keys.in.log", "keys", "Busy keys with records that wait in the log")),
    SPILLED_RECORDS(gauge("laneway.records.in.log", "records", "Records that wait in the log behind busy keys")),
    OLDEST_AGE(gauge("laneway.oldest.age", "seconds", "How long the oldest record is unfinished")),
    RUNNING(gauge("laneway.workers.running", "workers", "Workers that run a handler")),
    WORKERS_LIMIT(gauge("laneway.workers.limit", "workers", "How many handlers may run at once")),
    UTILISATION(
            gauge("laneway.utilisation", "ratio", "The share of the workers' time since the last reading", ACTIVITY)),
    STATE_IS(gauge("laneway.state", "state", "1 for the state that the consumer is in, else 0", STATE)),
    HEALTH(gauge("laneway.health", "health", "1 for UP, 0.5 for DEGRADED, 0 for DOWN")),
    HEALTH_CAUSE(gauge("laneway.health.cause", "causes", "1 for each cause that health names, else 0", CAUSE)),
    SNAPSHOT_AGE(gauge("laneway.owner.silence", "seconds", "Since the owner thread began its latest turn")),

    QUEUE_WAIT(times("laneway.queue.wait", "From the fetch of a record to the start of its attempt", TOPIC)),
    PROCESS(times("messaging.process.duration", "From the start of an attempt to its end", TOPIC, ERROR)),
    LATENCY(times(
            "laneway.record.latency", "From a record's timestamp to the end of an attempt that succeeded", TOPIC)),
    OPERATION_TIME(times("messaging.client.operation.duration", "Of commits and transactions", OPERATION, ERROR)),
    REBALANCE_TIME(times("laneway.rebalance.duration", "What a member takes to take or give up partitions", EVENT)),
    MAP_SIZE(sizes("laneway.map.size", "characters", "Of a commit's map of what is done beyond the offset"));

    /** What kind of metric it is. */
    public enum Kind {
        /** Only grows, until the end of the consumer. */
        COUNTER,
        /** A value of this moment. */
        GAUGE,
        /** Counts values by buckets. */
        HISTOGRAM
    }

    private static final String SYSTEM = "messaging.system";
    private static final String KAFKA = "kafka";

    private record Row(Kind kind, String name, String unit, String meaning, List<MetricTag> tags) {}

    /** In seconds; those that OpenTelemetry advises, and some for handlers that take minutes. */
    private static final List<Double> SECONDS = List.of(
            0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0);

    /** In characters, up to what brokers take by default. */
    private static final List<Double> CHARACTERS = List.of(1.0, 16.0, 64.0, 256.0, 1_024.0, 2_048.0, 4_096.0);

    @SuppressWarnings("ImmutableEnumChecker") // Its list is one of List.of, which the check does not see.
    private final Row row;

    LanewayMetric(Row row) {
        this.row = row;
    }

    private static Row counter(String name, String unit, String meaning, MetricTag... tags) {
        return new Row(Kind.COUNTER, name, unit, meaning, List.of(tags));
    }

    private static Row gauge(String name, String unit, String meaning, MetricTag... tags) {
        return new Row(Kind.GAUGE, name, unit, meaning, List.of(tags));
    }

    private static Row times(String name, String meaning, MetricTag... tags) {
        return new Row(Kind.HISTOGRAM, name, "seconds", meaning, List.of(tags));
    }

    private static Row sizes(String name, String unit, String meaning, MetricTag... tags) {
        return new Row(Kind.HISTOGRAM, name, unit, meaning, List.of(tags));
    }

    /** Counter, gauge or histogram. */
    public Kind kind() {
        return row.kind;
    }

    /** Its name, with dots. */
    public String metricName() {
        return row.name;
    }

    /** Its unit in words, such as records or seconds. */
    public String unit() {
        return row.unit;
    }

    /** What it says. */
    public String meaning() {
        return row.meaning;
    }

    /** Its tags: client and group, then those that only some have. */
    public List<MetricTag> tags() {
        List<MetricTag> all = new ArrayList<>(List.of(MetricTag.CLIENT, MetricTag.GROUP));
        all.addAll(row.tags);
        return List.copyOf(all);
    }

    /** The key of one of its tags. */
    public String key(MetricTag tag) {
        return row.name.startsWith("kafka.consumergroup.") ? tag.exporterKey() : tag.key();
    }

    /** Tags whose value is always the same, by key: OpenTelemetry requires them of metrics of messaging. */
    public Map<String, String> constantTags() {
        if (!row.name.startsWith("messaging.")) {
            return Map.of();
        }
        return switch (this) {
            case PROCESS -> Map.of(SYSTEM, KAFKA, OPERATION.key(), "process");
            case CONSUMED -> Map.of(SYSTEM, KAFKA, OPERATION.key(), "poll");
            default -> Map.of(SYSTEM, KAFKA);
        };
    }

    /** The upper bounds of a histogram's buckets, in its unit; empty for others. */
    public List<Double> buckets() {
        return row.kind != Kind.HISTOGRAM ? List.of() : isTime() ? SECONDS : CHARACTERS;
    }

    /** Whether it is measured in seconds. */
    boolean isTime() {
        return row.unit.equals("seconds");
    }

    /** Whether there is one for each assigned partition. */
    boolean isOfPartition() {
        return row.tags.contains(PARTITION);
    }

    /** The unit as OpenTelemetry writes it. */
    String ucum() {
        return switch (row.unit) {
            case "seconds" -> "s";
            case "bytes" -> "By";
            case "ratio", "health", "state", "offset" -> "1";
            default -> "{" + row.unit.substring(0, row.unit.length() - 1) + "}";
        };
    }

    /** What {@code name} of OpenMetrics is called by Prometheus. */
    String prometheusName() {
        String base = row.name.replace('.', '_');
        String unit = "_" + row.unit;
        String withUnit = hasUnitInName() && !base.endsWith(unit) ? base + unit : base;
        return row.kind == Kind.COUNTER ? withUnit + "_total" : withUnit;
    }

    /** Whether the unit is one that Prometheus wants to see in the name; the others are what is counted. */
    boolean hasUnitInName() {
        return row.unit.equals("seconds") || row.unit.equals("bytes") || row.unit.equals("ratio");
    }
}
