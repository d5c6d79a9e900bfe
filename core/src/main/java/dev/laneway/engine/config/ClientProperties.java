package dev.laneway.engine.config;

import dev.laneway.ConfigurationException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** What Kafka's clients would take, though nobody can mean it. Stateless. */
public final class ClientProperties {
    /** Kafka's default is 100 ms. */
    private static final long LONGEST_PRODUCER_BACKOFF_MS = 10_000;

    private ClientProperties() {}

    /**
     * Refuses names that are nearly right. Others are let through, so that plug-ins may have properties, and so that
     * one map may serve a consumer and a producer.
     *
     * @throws ConfigurationException if there is one, with the name that was probably meant
     */
    public static void refuseSlips(Map<String, Object> properties) {
        Set<String> known = new HashSet<>(ConsumerConfig.configNames());
        known.addAll(ProducerConfig.configNames());
        PropertyTypos.refuse(properties, known);
    }

    /**
     * Refuses a producer that could not be closed: its thread (kafka-clients 4.3.1) sleeps for retry.backoff.ms while
     * no broker is there, and {@code close} waits for that thread beyond its own limit.
     *
     * @throws ConfigurationException if it may sleep for longer than ten seconds
     */
    public static void refuseLongSleep(Map<String, Object> producer) {
        Object backoff = producer.get(ProducerConfig.RETRY_BACKOFF_MS_CONFIG);
        if (backoff == null) {
            return;
        }
        try {
            if (Long.parseLong(backoff.toString().trim()) <= LONGEST_PRODUCER_BACKOFF_MS) {
                return;
            }
        } catch (NumberFormatException notANumber) {
            return; // Kafka refuses it, or it refers to a config provider.
        }
        throw new ConfigurationException(
                ProducerConfig.RETRY_BACKOFF_MS_CONFIG,
                backoff,
                "must be at most " + LONGEST_PRODUCER_BACKOFF_MS
                        + ", since Kafka's producer sleeps for so long even while it is being closed",
                "lower it");
    }
}
