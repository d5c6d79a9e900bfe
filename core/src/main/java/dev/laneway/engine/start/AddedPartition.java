package dev.laneway.engine.start;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a partition for which the group has committed nothing, where a start position was given that skips
 * records. Immutable.
 *
 * <p>A partition that was added after the group began starts at its beginning. Kafka does not tell when a partition
 * came, only that the group has committed in others of its topic, and they may just be those whose members were faster.
 * So one member finds the starts of all partitions of a topic that the group begins, and commits them at once: the one
 * that has partition 0. Whatever it leaves out, and whatever comes later, starts at its beginning; that one of them
 * stands before a committed one proves nothing, since several may be added at once. See docs/adr/0018.
 */
sealed interface AddedPartition {
    /** It is committed by now. */
    record Committed(OffsetAndMetadata offset) implements AddedPartition {}

    /** The start position counts, for these partitions of others, too. */
    record Begins(Set<TopicPartition> others) implements AddedPartition {}

    /** It was added later. */
    record IsLater() implements AddedPartition {}

    /** The member with partition 0 begins the topic; if it does not, for these partitions of others, too. */
    record Waits(Set<TopicPartition> others) implements AddedPartition {}

    /**
     * Judges partitions of one topic.
     *
     * @param ids those to be judged, this member's
     * @param committed what the group has of each partition of the topic
     * @param hasFirst whether this member has partition 0
     */
    static Map<TopicPartition, AddedPartition> of(
            Collection<TopicPartition> ids,
            Map<TopicPartition, Optional<OffsetAndMetadata>> committed,
            boolean hasFirst) {
        boolean isBegun = false;
        Set<TopicPartition> others = new LinkedHashSet<>();
        List<TopicPartition> all = new ArrayList<>(committed.keySet());
        for (TopicPartition id : all) {
            if (offset(committed, id) != null) {
                isBegun = true;
            } else if (!ids.contains(id)) {
                others.add(id);
            }
        }
        Map<TopicPartition, AddedPartition> verdicts = new HashMap<>();
        for (TopicPartition id : ids) {
            OffsetAndMetadata offset = offset(committed, id);
            AddedPartition verdict;
            if (offset != null) {
                verdict = new Committed(offset);
            } else if (isBegun) {
                verdict = new IsLater();
            } else {
                verdict = hasFirst ? new Begins(others) : new Waits(others);
            }
            verdicts.put(id, verdict);
        }
        return verdicts;
    }

    private static @Nullable OffsetAndMetadata offset(
            Map<TopicPartition, Optional<OffsetAndMetadata>> committed, TopicPartition id) {
        return committed.getOrDefault(id, Optional.empty()).orElse(null);
    }
}
