package dev.laneway.engine;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Which names do Kafka's clients know? For settings outside of the engine. Stateless. */
public final class PropertyNames {
    private PropertyNames() {}

    /**
     * Refuses names that are nearly right. Others are let through, so that plug-ins may have properties, and so that
     * one map may serve a consumer and a producer.
     *
     * @throws dev.laneway.ConfigurationException if there is one, with the name that was probably meant
     */
    public static void refuseSlips(Map<String, Object> properties) {
        Set<String> known = new HashSet<>(ConsumerConfig.configNames());
        known.addAll(ProducerConfig.configNames());
        KafkaConfig.refuseTypos(properties, known);
    }
}
