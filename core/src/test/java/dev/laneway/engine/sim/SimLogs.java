package dev.laneway.engine.sim;

import dev.laneway.engine.offsets.Progress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

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
    private final Map<String, Integer> timesCreated = new HashMap<>();
    /** Topics that were created again before the group had given them up. */
    private final Set<String> unnoticed = new HashSet<>();
    /** Assignments whose member knows in which topic they were begun. */
    private final Set<SimEpoch> told = new HashSet<>();
    /** Assignments of those topics that were begun by nothing of a former one. */
    private final Set<SimEpoch> current = new HashSet<>();
    /** What they have committed. */
    private final Map<TopicPartition, Set<Progress>> ofCurrent = new HashMap<>();

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
        current.removeIf(epoch -> epoch.id.topic().equals(topic));
        ofCurrent.keySet().removeIf(id -> id.topic().equals(topic));
        world.sim.broker().deleteTopic(topic);
        world.check.deleted(topic);
    }

    /** The id of a topic, which no other of its name has; empty while there is none. */
    Optional<Uuid> topicId(String topic) {
        return deleted.contains(topic)
                ? Optional.empty()
                : Optional.of(new Uuid(1, timesCreated.getOrDefault(topic, 1)));
    }

    boolean isDeleted(String topic) {
        return deleted.contains(topic);
    }

    /** Creates a topic again. Whether all that was known of the former one is forgotten decides what may be lost. */
    void createAgain(String topic, int partitions) {
        deleted.remove(topic);
        timesCreated.merge(topic, 2, (before, _) -> before + 1);
        boolean noticed = isGivenUp(topic);
        if (noticed) {
            unnoticed.remove(topic);
        } else {
            unnoticed.add(topic);
        }
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
                if (!world.plan.isToldOfTopics() || isUntold(id)) {
                    formerEnds.put(id, end);
                }
            }
            world.added(id);
        }
    }

    private boolean isUntold(TopicPartition id) {
        return world.living().stream()
                .map(process -> process.epoch(id))
                .anyMatch(epoch -> epoch != null && !told.contains(epoch));
    }

    /** The member has been told which topic this is of. */
    void told(SimEpoch epoch) {
        told.add(epoch);
    }

    /**
     * An assignment begins. Where it does so by what was committed of a former topic, nobody tells that what is missing
     * before that is of another.
     */
    void begun(SimEpoch epoch, @Nullable Progress by) {
        if (!unnoticed.contains(epoch.id.topic()) || deleted.contains(epoch.id.topic())) {
            return;
        }
        long done = Math.max(epoch.position, epoch.restored == null ? 0 : epoch.restored.cursor());
        if (done == 0 || ofCurrent.getOrDefault(epoch.id, Set.of()).contains(by)) {
            current.add(epoch);
        } else {
            formerEnds.merge(epoch.id, done, Math::max);
        }
    }

    void commits(SimEpoch epoch, Progress progress) {
        if (current.contains(epoch)) {
            ofCurrent.computeIfAbsent(epoch.id, _ -> new HashSet<>()).add(progress);
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
