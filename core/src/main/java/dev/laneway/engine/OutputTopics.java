package dev.laneway.engine;

import dev.laneway.Health;
import dev.laneway.engine.commit.ClusterQuestions;
import dev.laneway.engine.runtime.HealthConditions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.TopicDescription;

/**
 * Do the topics exist that dead letters and outputs go to? Dead-letter topics are known before they are needed; those
 * of outputs once something is on its way to them. The thread of {@link ClusterProbe} only.
 */
final class OutputTopics {
    /** A transaction that was aborted is written again after a pause, in which nothing is on its way. */
    private static final int LOOKS_UNTIL_QUIET = 4;

    /** Says what is missing, and when it is there. */
    interface Teller {
        void tell(HealthConditions.Subject subject, boolean isMissing, Health.Status status, String reason);
    }

    private final Set<String> deadLetters;
    private final Supplier<? extends Set<String>> outgoing;
    private final Teller teller;
    /** At how many looks in a row nothing was on its way to a topic that had been asked for. */
    private final Map<String, Integer> quietLooks = new HashMap<>();

    /** @param outgoing to which topics something is on its way; any thread */
    OutputTopics(Set<String> deadLetters, Supplier<? extends Set<String>> outgoing, Teller teller) {
        this.deadLetters = deadLetters;
        this.outgoing = outgoing;
        this.teller = teller;
    }

    void look(ClusterQuestions cluster) {
        quietLooks.replaceAll((_, looks) -> looks + 1);
        outgoing.get().forEach(topic -> quietLooks.put(topic, 0));
        quietLooks.keySet().removeAll(deadLetters);
        quietLooks.entrySet().removeIf(topic -> {
            boolean quiet = topic.getValue() >= LOOKS_UNTIL_QUIET;
            if (quiet) {
                teller.tell(output(topic.getKey()), false, Health.Status.UP, "");
            }
            return quiet;
        });
        Set<String> asked = new TreeSet<>(deadLetters);
        asked.addAll(quietLooks.keySet());
        if (asked.isEmpty()) {
            return;
        }
        Map<String, Optional<TopicDescription>> found = cluster.topics(asked);
        found.forEach((topic, description) -> {
            boolean missing = description.isEmpty() && !cluster.createsTopics();
            if (deadLetters.contains(topic)) {
                teller.tell(
                        new HealthConditions.Subject(Health.Cause.TOPIC_MISSING, "dead-letter topic", topic),
                        missing,
                        Health.Status.DEGRADED,
                        "dead-letter topic " + topic + " does not exist: create it, or dead letters will wait and"
                                + " stop the consumer");
            } else {
                teller.tell(
                        output(topic),
                        missing,
                        Health.Status.DEGRADED,
                        "output topic " + topic + " does not exist, so records that emit to it wait and are not"
                                + " committed: create it, or mend the name; they go on when it is there");
            }
        });
    }

    private static HealthConditions.Subject output(String topic) {
        return new HealthConditions.Subject(Health.Cause.TOPIC_MISSING, "output topic", topic);
    }
}
