package dev.laneway.engine.start;

import dev.laneway.Health;
import dev.laneway.engine.runtime.HealthConditions;
import dev.laneway.engine.runtime.Host;
import dev.laneway.engine.track.Assignment;
import dev.laneway.engine.track.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Whether the client accepts the leader epochs that were committed. It reads nothing of a partition, without a word,
 * while the latest leader that it knows has a lower epoch than the committed one: since there is none at the moment, or
 * since the topic was made anew or restored, and its epochs began anew. The owner only.
 */
final class EpochWatch {
    private static final long INTERVAL_NANOS = 1_000_000_000;
    private static final Duration GLANCE = Duration.ofMillis(1);
    private static final int MOST_SILENT = 10;

    private final Host host;
    private final Consumer<byte[], byte[]> consumer;
    private final Assignment assignment;
    private final HealthConditions conditions;
    private final Map<TopicPartition, Partition> unsure = new LinkedHashMap<>();
    private final Map<TopicPartition, Integer> epochs = new LinkedHashMap<>();
    private long lookedAtNanos;

    EpochWatch(Host host, Consumer<byte[], byte[]> consumer, Assignment assignment, HealthConditions conditions) {
        this.host = host;
        this.consumer = consumer;
        this.assignment = assignment;
        this.conditions = conditions;
        this.lookedAtNanos = host.nanoTime();
    }

    /** The partition begins at what was committed. */
    void watch(Partition partition, OffsetAndMetadata offset) {
        offset.leaderEpoch().ifPresent(epoch -> {
            unsure.put(partition.id, partition);
            epochs.put(partition.id, epoch);
        });
    }

    void forget(TopicPartition id) {
        if (unsure.remove(id) != null) {
            epochs.remove(id);
            conditions.end(subject(id));
        }
    }

    void turn() {
        long now = host.nanoTime();
        if (unsure.isEmpty() || now - lookedAtNanos < INTERVAL_NANOS) {
            return;
        }
        lookedAtNanos = now;
        int silent = 0;
        for (Partition partition : new ArrayList<>(unsure.values())) {
            if (!partition.equals(assignment.get(partition.id)) || hasPosition(partition.id)) {
                forget(partition.id);
            } else {
                conditions.begin(subject(partition.id), Health.Status.DEGRADED, reason(partition.id));
                silent++;
            }
            if (silent >= MOST_SILENT) {
                return; // A look takes a millisecond. As long as the first ones wait, the others may, too.
            }
        }
    }

    private boolean hasPosition(TopicPartition id) {
        try {
            consumer.position(id, GLANCE);
            return true;
        } catch (TimeoutException | WakeupException unknown) {
            return false;
        }
    }

    private String reason(TopicPartition id) {
        return id + " is not read: no leader is known with the leader epoch " + epochs.get(id)
                + ", which the group has committed, or a later one; check that the partition has a leader. If its topic"
                + " was made anew or restored, stop the group and set its offset anew, which leaves the epoch out"
                + " (kafka-consumer-groups.sh --reset-offsets)";
    }

    private static HealthConditions.Subject subject(TopicPartition id) {
        return new HealthConditions.Subject(Health.Cause.NO_START, "epoch", id);
    }
}
