package dev.laneway.stream;

import dev.laneway.StartPosition;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;

/**
 * What a {@link KafkaSource} reads, and where it starts. The group distributes the partitions of topics and patterns;
 * it does not know of an assignment. Immutable.
 */
public final class Subscription {
    private final dev.laneway.engine.config.TopicSelection reads;
    private final StartPosition start;

    private Subscription(dev.laneway.engine.config.TopicSelection reads, StartPosition start) {
        this.reads = reads;
        this.start = start;
    }

    /** Topics by name. */
    public static Subscription topics(String... topics) {
        return topics(Arrays.asList(topics));
    }

    /** Topics by name. */
    public static Subscription topics(Collection<String> topics) {
        return new Subscription(
                new dev.laneway.engine.config.TopicSelection.Topics(List.copyOf(topics)), StartPosition.committed());
    }

    /** Every topic whose name matches, those created later included. */
    public static Subscription pattern(Pattern pattern) {
        return new Subscription(
                new dev.laneway.engine.config.TopicSelection.Matching(Objects.requireNonNull(pattern, "pattern")),
                StartPosition.committed());
    }

    /** These partitions. */
    public static Subscription assignment(TopicPartition... partitions) {
        return assignment(Arrays.asList(partitions));
    }

    /** These partitions. */
    public static Subscription assignment(Collection<TopicPartition> partitions) {
        return new Subscription(
                new dev.laneway.engine.config.TopicSelection.Partitions(List.copyOf(partitions)),
                StartPosition.committed());
    }

    /** These partitions, each from its offset on. */
    public static Subscription assignmentAt(Map<TopicPartition, Long> offsets) {
        return assignment(offsets.keySet()).startingAt(StartPosition.offsets(offsets));
    }

    /** These partitions, from the first record with this timestamp or a later one on; see {@link StartPosition}. */
    public static Subscription assignmentAtTimestamp(Collection<TopicPartition> partitions, Instant timestamp) {
        return assignment(partitions).startingAt(StartPosition.timestamp(timestamp));
    }

    /**
     * The same with another start position; by default the group's committed offset or, without one,
     * {@code auto.offset.reset}. A plain source, which commits nothing, uses the position at each assignment.
     */
    public Subscription startingAt(StartPosition position) {
        return new Subscription(reads, Objects.requireNonNull(position, "position"));
    }

    dev.laneway.engine.config.TopicSelection reads() {
        return reads;
    }

    StartPosition start() {
        return start;
    }

    @Override
    public String toString() {
        return reads.described() + " from " + start;
    }
}
