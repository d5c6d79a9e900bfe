package dev.laneway;

import java.util.HashMap;
import java.util.Map;

/** How a group shares out its partitions. */
enum Protocol {
    EAGER,
    COOPERATIVE,
    CONSUMER;

    /** Properties that make a consumer follow it, and hear of changes soon. */
    Map<String, Object> config(Map<String, ?> more) {
        Map<String, Object> config = new HashMap<>(
                switch (this) {
                    case EAGER ->
                        Map.of(
                                "partition.assignment.strategy",
                                "org.apache.kafka.clients.consumer.RangeAssignor",
                                "heartbeat.interval.ms",
                                100);
                    case COOPERATIVE ->
                        Map.of(
                                "partition.assignment.strategy",
                                "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
                                "heartbeat.interval.ms",
                                100);
                    case CONSUMER -> Map.of("group.protocol", "consumer");
                });
        config.putAll(more);
        return config;
    }

    Map<String, Object> config() {
        return config(Map.of());
    }

    /** Whether partitions that stay with a member are left alone by a rebalance. */
    boolean retains() {
        return this != EAGER;
    }
}
