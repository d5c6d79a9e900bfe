package dev.laneway.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** The admin requests of an arm, to check its result. Used by one thread. */
public final class ArmAdmin implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private final Admin admin;

    public ArmAdmin(String bootstrap) {
        admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    /** The end offset of each partition. */
    public List<Long> ends(String topic, int partitions) throws Exception {
        List<Long> ends = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            TopicPartition id = new TopicPartition(topic, partition);
            ends.add(get(admin.listOffsets(Map.of(id, OffsetSpec.latest())).partitionResult(id))
                    .offset());
        }
        return ends;
    }

    /** Commits the end of each partition for a group without members. */
    public void commitEnds(String group, String topic, int partitions) throws Exception {
        List<Long> ends = ends(topic, partitions);
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            offsets.put(new TopicPartition(topic, partition), new OffsetAndMetadata(ends.get(partition)));
        }
        get(admin.alterConsumerGroupOffsets(group, offsets).all());
    }

    /** Whether a group has settled: all its members are there, and have all partitions among them. */
    public boolean isShared(String group, int members, int partitions) throws Exception {
        ConsumerGroupDescription now = Objects.requireNonNull(
                get(admin.describeConsumerGroups(List.of(group)).all()).get(group));
        LockSupport.parkNanos(PAUSE_NANOS);
        return now.groupState() == GroupState.STABLE
                && now.members().size() == members
                && now.members().stream()
                                .mapToInt(member ->
                                        member.assignment().topicPartitions().size())
                                .sum()
                        == partitions;
    }

    /** The characters of the longest metadata that a group has committed. */
    public int metadataChars(String group) throws Exception {
        return get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()).values().stream()
                .mapToInt(offset -> offset.metadata().length())
                .max()
                .orElse(0);
    }

    /** The committed offset of each partition; 0 where there is none. */
    List<Long> committed(String group, String topic, int partitions) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> committed =
                get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        List<Long> offsets = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            OffsetAndMetadata offset = committed.get(new TopicPartition(topic, partition));
            offsets.add(offset == null ? 0 : offset.offset());
        }
        return offsets;
    }

    /**
     * What is wrong with a group that should have committed all of a topic; null if nothing is.
     *
     * @param ahead whether it may have committed what is not there yet
     */
    public @Nullable String uncommitted(String group, String topic, int partitions, boolean ahead) throws Exception {
        List<Long> ends = ends(topic, partitions);
        List<Long> committed = committed(group, topic, partitions);
        for (int partition = 0; partition < partitions; partition++) {
            long at = committed.get(partition);
            long end = ends.get(partition);
            if (ahead ? at < end : at != end) {
                return "committed " + at + " of " + end + " in partition " + partition;
            }
        }
        return null;
    }

    /** Creates a topic and waits until it is there. */
    public void create(String topic, int partitions) throws Exception {
        get(admin.createTopics(List.of(new NewTopic(topic, Optional.of(partitions), Optional.empty())))
                .all());
        long start = System.nanoTime();
        while (!isLed(topic, partitions)) {
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                throw new IllegalStateException("topic " + topic + " is created and not known after a while");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** The creation is answered before the broker knows the topic, and before its partitions have leaders. */
    private boolean isLed(String topic, int partitions) throws Exception {
        try {
            ends(topic, partitions);
            return true;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw failed;
        }
    }

    public void delete(String topic) throws Exception {
        get(admin.deleteTopics(List.of(topic)).all());
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        admin.close(LIMIT);
    }
}
