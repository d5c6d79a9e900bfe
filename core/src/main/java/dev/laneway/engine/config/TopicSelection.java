package dev.laneway.engine.config;

import dev.laneway.ConfigurationException;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;

/** What is consumed. Immutable. */
public sealed interface TopicSelection {
    /** The topics in words, for messages. */
    String described();

    /** Whether this is one of the topics. */
    boolean reads(String topic);

    /** Topics by name; the group shares their partitions. */
    record Topics(List<String> topics) implements TopicSelection {
        /** Refuses an empty list. */
        public Topics {
            if (topics.isEmpty()) {
                throw new ConfigurationException("subscribe", topics, "must name at least one topic", "give its name");
            }
        }

        @Override
        public String described() {
            return described(topics);
        }

        @Override
        public boolean reads(String topic) {
            return topics.contains(topic);
        }

        private static String described(List<String> names) {
            return names.size() == 1 ? "topic " + names.getFirst() : "one of the topics " + String.join(", ", names);
        }
    }

    /** Topics by pattern, those created later included. */
    record Matching(Pattern pattern) implements TopicSelection {
        @Override
        public String described() {
            return "a topic that matches " + pattern;
        }

        @Override
        public boolean reads(String topic) {
            return pattern.matcher(topic).matches();
        }
    }

    /** These partitions, without the group's assignment. */
    record Partitions(List<TopicPartition> partitions) implements TopicSelection {
        /** Refuses an empty list. */
        public Partitions {
            if (partitions.isEmpty()) {
                throw new ConfigurationException(
                        "assign", partitions, "must name at least one partition", "give topic and number");
            }
        }

        @Override
        public String described() {
            return Topics.described(
                    partitions.stream().map(TopicPartition::topic).distinct().toList());
        }

        @Override
        public boolean reads(String topic) {
            return partitions.stream().anyMatch(id -> id.topic().equals(topic));
        }
    }
}
