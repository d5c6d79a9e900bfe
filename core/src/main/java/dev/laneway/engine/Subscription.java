package dev.laneway.engine;

import dev.laneway.ConfigurationException;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;

/** What is consumed. Immutable. */
public sealed interface Subscription {
    /** Topics by name; the group shares their partitions. */
    record Topics(List<String> topics) implements Subscription {
        /** Refuses an empty list. */
        public Topics {
            if (topics.isEmpty()) {
                throw new ConfigurationException("subscribe", topics, "must name at least one topic", "give its name");
            }
        }
    }

    /** Topics by pattern, those created later included. */
    record Matching(Pattern pattern) implements Subscription {}

    /** These partitions, without the group's assignment. */
    record Partitions(List<TopicPartition> partitions) implements Subscription {
        /** Refuses an empty list. */
        public Partitions {
            if (partitions.isEmpty()) {
                throw new ConfigurationException(
                        "assign", partitions, "must name at least one partition", "give topic and number");
            }
        }
    }
}
