package dev.laneway.engine.sim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * What became of logs that are not what they were: cut by the election of a replica that lacked their ends, or of a
 * topic that was deleted and created again. An offset does not name a record there.
 */
final class SimLogs {
    /**
     * A record, told from others that have had its offset.
     *
     * @param timestamp which tells those of a topic from those of the one before it
     */
    record Written(TopicPartition id, long offset, int leaderEpoch, long timestamp) {
        static Written of(TopicPartition id, ConsumerRecord<?, ?> record) {
            return new Written(id, record.offset(), record.leaderEpoch().orElse(-1), record.timestamp());
        }
    }

    private final SimWorld world;
    /** From where on each partition may be read again. */
    private final Map<TopicPartition, Long> lowestCuts = new HashMap<>();
    /** How far topics had got that were created again before the group had given them up. */
    private final Map<TopicPartition, Long> formerEnds = new HashMap<>();

    private final Map<TopicPartition, Long> endsAtDeletion = new HashMap<>();
    private final Set<String> deleted = new HashSet<>();

    SimLogs(SimWorld world) {
        this.world = world;
    }

    /** Cuts a log here: the records from there on are gone, and others take their offsets. */
    void cut(TopicPartition id, long offset) {
        world.sim.broker().cutLog(id, offset);
        lowestCuts.merge(id, offset, Math::min);
    }

    void delete(String topic) {
        for (TopicPartition id : List.copyOf(world.partitions)) {
            if (id.topic().equals(topic)) {
                endsAtDeletion.put(id, Math.max(world.sim.broker().endOffset(id), formerEnds.getOrDefault(id, 0L)));
                world.partitions.remove(id);
            }
        }
        deleted.add(topic);
        world.sim.broker().deleteTopic(topic);
        world.check.deleted(topic);
    }

    boolean isDeleted(String topic) {
        return deleted.contains(topic);
    }

    /** Creates a topic again. Whether all that was known of the former one is forgotten decides what may be lost. */
    void createAgain(String topic, int partitions) {
        deleted.remove(topic);
        boolean noticed = isGivenUp(topic);
        world.sim.trace().event("created again", topic, partitions, noticed ? "noticed" : "unnoticed");
        world.sim.broker().createTopic(topic, partitions);
        for (int number = 0; number < partitions; number++) {
            TopicPartition id = new TopicPartition(topic, number);
            Long end = endsAtDeletion.get(id);
            if (noticed || end == null) {
                lowestCuts.remove(id);
                formerEnds.remove(id);
            } else {
                lowestCuts.put(id, 0L);
                formerEnds.put(id, end);
            }
            world.added(id);
        }
    }

    /** Whether neither the group nor a member has partitions of the topic. */
    boolean isGivenUp(String topic) {
        return world.sim.broker().owners(SimPlan.GROUP).keySet().stream()
                        .noneMatch(id -> id.topic().equals(topic))
                && world.living().stream()
                        .noneMatch(process -> process.parts.core().assignment().all().stream()
                                .anyMatch(partition -> partition.id.topic().equals(topic)));
    }

    /** Whether a member may be made to read from that offset on again. */
    boolean mayBeReadAgain(TopicPartition id, long offset) {
        return offset >= lowestCut(id);
    }

    /** From where on what was done may not count any more. */
    long lowestCut(TopicPartition id) {
        return lowestCuts.getOrDefault(id, Long.MAX_VALUE);
    }

    /** Whether a member may have taken the record for one of the former topic's, which no client tells from it. */
    boolean mayBeTakenForAFormerOne(TopicPartition id, long offset) {
        return offset < formerEnds.getOrDefault(id, 0L);
    }
}
