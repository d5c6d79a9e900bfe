package dev.laneway.engine;

import dev.laneway.Health;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.track.Partition;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;

/**
 * Is a topic still the one that its partitions were begun in? One that is deleted and created again has another id
 * (KIP-516), of which Kafka's client tells nothing: it reads on at the old offset where the new log is long enough, and
 * what was done before is committed for the new topic. The first id that is seen counts as that of the beginning. One
 * thread.
 */
public final class RecreatedTopics {
    private static final String KIND = "progress";

    private final HealthConditions conditions;
    private final Consumer<Partition> beginAnew;
    /** In which topic each partition was begun. */
    private final Map<Partition, Uuid> begunIn = new HashMap<>();
    /** What had the name last, by name. */
    private final Map<String, Uuid> latest = new HashMap<>();
    /** What had the name before, by name: a broker that is behind may still tell it. */
    private final Map<String, Uuid> former = new HashMap<>();
    /** Those that are to begin anew. */
    private final Set<Partition> told = new HashSet<>();
    /** Topics whose progress is not committed. */
    private final Set<String> named = new HashSet<>();

    /** @param beginAnew called once with each partition whose topic has been replaced */
    public RecreatedTopics(HealthConditions conditions, Consumer<Partition> beginAnew) {
        this.conditions = conditions;
        this.beginAnew = beginAnew;
    }

    /**
     * Compares the ids with those of before.
     *
     * @param topics the id of each topic of which the answer says whether it exists; empty where it does not
     * @param assigned the partitions of all members
     */
    public void look(Map<String, Optional<Uuid>> topics, Collection<Partition> assigned) {
        Set<Partition> current = new HashSet<>(assigned);
        begunIn.keySet().retainAll(current);
        told.retainAll(current);
        for (Partition partition : current) {
            Optional<Uuid> id = topics.get(partition.id.topic());
            if (id != null && !told.contains(partition)) { // Else nobody has answered, which is no finding.
                id.ifPresentOrElse(known -> compare(partition, known), () -> isGone(partition));
            }
        }
        tellHealth(current);
    }

    private void isGone(Partition partition) {
        Uuid last = latest.get(partition.id.topic());
        if (last != null) {
            begunIn.putIfAbsent(partition, last); // It was begun before anybody looked.
        }
        partition.isOfDeletedTopic = true;
    }

    private void compare(Partition partition, Uuid id) {
        String topic = partition.id.topic();
        if (id.equals(Uuid.ZERO_UUID) || id.equals(former.get(topic))) {
            return; // A broker that knows of no ids, or not yet of the new one.
        }
        latest.put(topic, id);
        Uuid begun = begunIn.putIfAbsent(partition, id);
        boolean isAnother = begun != null && !begun.equals(id);
        partition.isOfDeletedTopic = isAnother;
        if (isAnother) {
            former.put(topic, begun);
            told.add(partition);
            beginAnew.accept(partition);
        }
    }

    private void tellHealth(Set<Partition> current) {
        Set<String> deleted = new HashSet<>();
        for (Partition partition : current) {
            if (partition.isOfDeletedTopic) {
                deleted.add(partition.id.topic());
            }
        }
        named.removeIf(topic -> {
            boolean isOver = !deleted.contains(topic);
            if (isOver) {
                conditions.end(subject(topic));
            }
            return isOver;
        });
        for (String topic : deleted) {
            named.add(topic);
            conditions.begin(
                    subject(topic),
                    Health.Status.DEGRADED,
                    "what was done of topic " + topic + " is not committed, since the topic was deleted: if it is"
                            + " created again it is read from its beginning; else stop reading it");
        }
    }

    private static HealthConditions.Subject subject(String topic) {
        return new HealthConditions.Subject(Health.Cause.TOPIC_MISSING, KIND, topic);
    }
}
