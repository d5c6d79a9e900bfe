package dev.laneway.engine.commit;

import java.util.List;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.TopicConfig;

/**
 * What a topic does with old records. Immutable.
 *
 * @param retentionMs so old, in milliseconds, its records are deleted; negative where age is no reason
 * @param isCompacted whether earlier records of a key are removed
 * @param compactionLagMs a record is not removed for a later one of its key before it is so old, in milliseconds
 */
public record TopicRetention(long retentionMs, boolean isCompacted, long compactionLagMs) {
    /** Where nothing is known of a topic. */
    public static final TopicRetention UNKNOWN = new TopicRetention(-1, false, 0);

    static TopicRetention of(Config topic) {
        List<String> policies =
                List.of(value(topic, TopicConfig.CLEANUP_POLICY_CONFIG, "").split(","));
        boolean deletes = policies.contains(TopicConfig.CLEANUP_POLICY_DELETE);
        return new TopicRetention(
                deletes ? number(topic, TopicConfig.RETENTION_MS_CONFIG, -1) : -1,
                policies.contains(TopicConfig.CLEANUP_POLICY_COMPACT),
                number(topic, TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG, 0));
    }

    private static String value(Config topic, String name, String otherwise) {
        ConfigEntry entry = topic.get(name);
        return entry == null || entry.value() == null ? otherwise : entry.value();
    }

    private static long number(Config topic, String name, long otherwise) {
        return Long.parseLong(value(topic, name, Long.toString(otherwise)));
    }
}
