package dev.laneway.engine.config;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How often the broker delivers a record of a share group before it gives it up. It does not tell members, so the
 * group's configuration is asked for once, without waiting; until there is an answer, and where it may not be read,
 * Kafka's default counts. Thread-safe.
 */
public final class DeliveryLimit {
    /** The group's setting; brokers have {@code group.share.delivery.count.limit} for groups without it. */
    public static final String NAME = "share.delivery.count.limit";

    private static final int DEFAULT = 5;
    private static final Logger log = LoggerFactory.getLogger(DeliveryLimit.class);

    private final @Nullable Admin admin;
    private volatile int limit = DEFAULT;

    private DeliveryLimit(@Nullable Admin admin) {
        this.admin = admin;
    }

    /** Kafka's default, where nobody can be asked. */
    public static DeliveryLimit assumed() {
        return new DeliveryLimit(null);
    }

    /** Asks, with the properties by which the consumer finds its brokers. */
    static DeliveryLimit ask(Map<String, Object> consumer, String group) {
        Map<String, Object> properties = new HashMap<>(consumer);
        properties.keySet().retainAll(AdminClientConfig.configNames());
        properties.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG); // A client of a moment is not worth one.
        try {
            DeliveryLimit asking = new DeliveryLimit(Admin.create(properties));
            asking.ask(new ConfigResource(ConfigResource.Type.GROUP, group));
            return asking;
        } catch (KafkaException refused) {
            log.info("{} of {} is not known, {} is assumed: {}", NAME, group, DEFAULT, refused.toString());
            return assumed();
        }
    }

    private void ask(ConfigResource group) {
        if (admin == null) {
            return;
        }
        var _ = admin.describeConfigs(List.of(group))
                .all()
                .whenComplete((configs, failure) ->
                        answered(group.name(), configs == null ? null : configs.get(group), failure));
    }

    private void answered(String group, @Nullable Config config, @Nullable Throwable failure) {
        ConfigEntry entry = config == null ? null : config.get(NAME);
        if (entry == null || entry.value() == null) {
            log.info("{} of {} is not known, {} is assumed: {}", NAME, group, DEFAULT, String.valueOf(failure));
        } else {
            limit = Integer.parseInt(entry.value());
        }
        close();
    }

    /** Whether a record that was delivered this often is not delivered again. */
    public boolean isReached(int deliveries) {
        return deliveries >= limit;
    }

    /** In how many deliveries a record must be done. */
    public int deliveries() {
        return limit;
    }

    /** Waits for an answer no longer. */
    public void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }
}
