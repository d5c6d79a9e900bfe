package dev.laneway.ops.observe;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Gives the metrics of Kafka's clients their own names again. Two families of exporters are known:
 *
 * <ul>
 *   <li>jmx_exporter: domain, type and attribute of the bean, as it does without rules and as the usual rules do:
 *       {@code kafka_consumer_consumer_metrics_time_between_poll_max}. From version 1.0 on it takes {@code _total} from
 *       the names of what is no counter to it; these are known by a list.
 *   <li>Micrometer: the group without {@code -metrics}: {@code kafka_consumer_time_between_poll_max},
 *       {@code kafka_stream_thread_process_ratio}; it adds {@code _total} to counters. Rules that leave the type of a
 *       consumer's bean out make the same kind of name, {@code kafka_consumer_records_lag_max}: its group is known by
 *       the name.
 * </ul>
 *
 * <p>Labels become tags: {@code client_id} and {@code clientId} are {@code client-id}. Those of other things, such as
 * {@code instance}, stay, so that two processes behind one endpoint are told apart.
 */
final class PrometheusNames {
    private static final Map<String, List<String>> GROUPS = Map.of(
            "kafka_consumer",
            List.of(
                    "consumer-metrics",
                    "consumer-coordinator-metrics",
                    "consumer-fetch-manager-metrics",
                    "consumer-node-metrics",
                    "consumer-share-metrics",
                    "consumer-share-coordinator-metrics",
                    "consumer-share-fetch-manager-metrics"),
            "kafka_producer",
            List.of("producer-metrics", "producer-topic-metrics", "producer-node-metrics"),
            "kafka_admin_client",
            List.of("admin-client-metrics", "admin-client-node-metrics"),
            "kafka_streams",
            List.of(
                    "stream-metrics",
                    "stream-thread-metrics",
                    "stream-task-metrics",
                    "stream-processor-node-metrics",
                    "stream-record-cache-metrics",
                    "stream-state-metrics",
                    "stream-state-updater-metrics",
                    "stream-topic-metrics"));

    /** Beginnings of a consumer's names that are not of consumer-metrics. */
    private static final List<String> FETCHES =
            List.of("records-", "fetch-", "bytes-consumed-", "preferred-read-replica");

    private static final List<String> COORDINATION = List.of(
            "heartbeat-",
            "last-heartbeat-",
            "join-",
            "sync-",
            "rebalance-",
            "failed-rebalance-",
            "last-rebalance-",
            "assigned-partitions",
            "commit-latency-",
            "commit-rate",
            "commit-total",
            "partition-",
            "partitions-");

    /** Kafka's names that end in -total, without that. */
    private static final Set<String> TOTALS = Set.of(
            "acknowledgements-error",
            "acknowledgements-send",
            "batch-split",
            "blocked-time-ns",
            "buffer-exhausted",
            "bufferpool-wait-time-ns",
            "byte",
            "bytes-consumed",
            "bytes-produced",
            "bytes-read",
            "bytes-written",
            "cache-size-bytes",
            "commit",
            "commit-sync-time-ns",
            "committed-time-ns",
            "connection-close",
            "connection-creation",
            "dropped-records",
            "enforced-processing",
            "failed-authentication",
            "failed-reauthentication",
            "failed-rebalance",
            "fetch",
            "flush-time-ns",
            "heartbeat",
            "idempotent-update-skip",
            "incoming-byte",
            "io-time-ns",
            "io-wait-time-ns",
            "join",
            "metadata-wait-time-ns",
            "network-io",
            "number-file-errors",
            "outgoing-byte",
            "poll",
            "process",
            "punctuate",
            "rebalance",
            "rebalance-latency",
            "record-error",
            "record-retry",
            "record-send",
            "records-consumed",
            "records-produced",
            "request",
            "response",
            "restore",
            "restore-remaining-records",
            "select",
            "successful-authentication",
            "successful-authentication-no-reauth",
            "successful-reauthentication",
            "sync",
            "task-closed",
            "task-created",
            "txn-abort-time-ns",
            "txn-begin-time-ns",
            "txn-commit-time-ns",
            "txn-init-time-ns",
            "txn-send-offsets-time-ns",
            "update");

    /** Labels that say nothing of what is measured. */
    private static final Set<String> NOISE = Set.of("kafka-version", "spring-id", "client-type", "-objectname");

    /** The usual rules make texts labels of a metric that is always 1; jmx_exporter 1.0 takes _info away. */
    private static final Pattern APP_INFO = Pattern.compile("kafka_[a-z_]+_app(_info)?");

    private record Prefix(String text, String group) {}

    private static final List<Prefix> PREFIXES = prefixes();

    private PrometheusNames() {}

    private static List<Prefix> prefixes() {
        List<Prefix> prefixes = new ArrayList<>();
        GROUPS.forEach((domain, groups) -> {
            prefixes.add(new Prefix(domain + "_app_info_", "app-info"));
            prefixes.add(new Prefix(domain + "_kafka_metrics_count_", "kafka-metrics-count"));
            for (String group : groups) {
                String plain = group.replace('-', '_');
                prefixes.add(new Prefix(domain + "_" + plain + "_", group));
                prefixes.add(new Prefix("kafka_" + plain.replaceFirst("_metrics$", "") + "_", group));
            }
        });
        prefixes.add(new Prefix("kafka_app_info_", "app-info"));
        prefixes.sort(
                Comparator.comparingInt((Prefix prefix) -> prefix.text.length()).reversed());
        return List.copyOf(prefixes);
    }

    /** What the names must begin with, for people. */
    static String lookedFor() {
        return "kafka_consumer_, kafka_producer_, kafka_stream_, kafka_streams_, kafka_admin_client_, jvm_, process_"
                + " and java_lang_";
    }

    /** Takes what is known into a sample. */
    static void translate(List<PrometheusText.Line> lines, long nowMillis, SampleBuilder into) {
        PrometheusJvm jvm = new PrometheusJvm(nowMillis, into);
        for (PrometheusText.Line line : lines) {
            String name = line.name().toLowerCase(Locale.ROOT);
            Map<String, String> tags = tags(line.labels());
            version(name, line.labels(), tags, into);
            if (APP_INFO.matcher(name).matches()) {
                continue;
            }
            Metric metric = kafka(name, tags);
            if (metric != null) {
                into.put(metric, line.value());
            } else {
                jvm.take(name, tags, line.value());
            }
        }
        jvm.finish();
    }

    /** The metric of Kafka that a name stands for; null if none is known. */
    static @Nullable Metric kafka(String name, Map<String, String> tags) {
        for (Prefix prefix : PREFIXES) {
            if (name.startsWith(prefix.text) && name.length() > prefix.text.length()) {
                String own = own(name.substring(prefix.text.length()).replace('_', '-'));
                return Metric.of(group(prefix.group, own, tags), own, tags);
            }
        }
        return null;
    }

    private static String own(String name) {
        if (name.endsWith("-count-total")) {
            return name.substring(0, name.length() - "-total".length());
        }
        return TOTALS.contains(name) ? name + "-total" : name;
    }

    private static String group(String group, String name, Map<String, String> tags) {
        if (group.equals("consumer-metrics")) {
            return startsWithOne(name, FETCHES)
                    ? "consumer-fetch-manager-metrics"
                    : startsWithOne(name, COORDINATION) ? "consumer-coordinator-metrics" : group;
        }
        return group.equals("producer-metrics") && tags.containsKey("topic") ? "producer-topic-metrics" : group;
    }

    private static boolean startsWithOne(String name, List<String> beginnings) {
        return beginnings.stream().anyMatch(name::startsWith);
    }

    /** Micrometer has the clients' version as a label of all, usual rules have it as one of a metric app_info. */
    private static void version(String name, Map<String, String> labels, Map<String, String> tags, SampleBuilder into) {
        String version = labels.get(APP_INFO.matcher(name).matches() ? "version" : "kafka_version");
        String client = tags.get("client-id");
        if (version != null && client != null) {
            into.put(Metric.of("app-info", "version", Map.of("client-id", client)), version);
        }
    }

    private static Map<String, String> tags(Map<String, String> labels) {
        Map<String, String> tags = new HashMap<>();
        labels.forEach((label, value) -> {
            String tag = label.replaceAll("([a-z0-9])([A-Z])", "$1-$2")
                    .replace('_', '-')
                    .toLowerCase(Locale.ROOT);
            if (!NOISE.contains(tag)) {
                tags.put(tag, value);
            }
        });
        return tags;
    }
}
