package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The properties that the simulated producer uses. Kafka's own definitions check them and have the defaults. */
record SimProducerConfig(
        String clientId,
        @Nullable String transactionalId,
        int maxRequestSize,
        long transactionTimeoutNanos,
        long deliveryTimeoutNanos,
        long retryBackoffNanos,
        Duration maxBlock) {

    static SimProducerConfig of(Map<String, ?> properties, String defaultClientId) {
        Map<String, Object> all = new TreeMap<>(properties);
        all.putIfAbsent(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "simulated:9092");
        all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        all.putIfAbsent(ProducerConfig.CLIENT_ID_CONFIG, defaultClientId);
        // Not ProducerConfig itself: it logs all its values for each producer.
        AbstractConfig config = new AbstractConfig(ProducerConfig.configDef(), all, false);
        return new SimProducerConfig(
                config.getString(ProducerConfig.CLIENT_ID_CONFIG),
                config.getString(ProducerConfig.TRANSACTIONAL_ID_CONFIG),
                config.getInt(ProducerConfig.MAX_REQUEST_SIZE_CONFIG),
                config.getInt(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG) * 1_000_000L,
                config.getInt(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG) * 1_000_000L,
                config.getLong(ProducerConfig.RETRY_BACKOFF_MS_CONFIG) * 1_000_000L,
                Duration.ofMillis(config.getLong(ProducerConfig.MAX_BLOCK_MS_CONFIG)));
    }
}
