package dev.laneway.ills;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * What a look at a group shows. Immutable.
 *
 * @param state of the group, as Kafka names it; {@code Unreachable} if no broker answers, {@code Absent} before there
 *     is one
 * @param members how many the group has
 * @param partitions by topic and number, those of the topics that its members read
 */
record Vitals(String state, int members, Map<TopicPartition, Place> partitions) {
    static final String UNREACHABLE = "Unreachable";
    private static final String ABSENT = "Absent";

    private static final Duration LIMIT = Duration.ofSeconds(3);
    private static final long NONE = -1;

    /**
     * Where a partition stands.
     *
     * @param committed -1 without a commit
     */
    record Place(long start, long committed, long end) {
        /** From the commit, or from the log's start without one. */
        long lag() {
            return end - Math.max(start, committed);
        }
    }

    Vitals {
        partitions = Map.copyOf(partitions);
    }

    static Vitals of(Admin admin, String group, List<TopicPartition> read) throws InterruptedException {
        try {
            ConsumerGroupDescription described = get(admin.describeConsumerGroups(List.of(group))
                            .all())
                    .values()
                    .iterator()
                    .next();
            Map<TopicPartition, OffsetAndMetadata> committed =
                    get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
            Map<TopicPartition, Long> starts = offsets(admin, read, OffsetSpec.earliest());
            Map<TopicPartition, Long> ends = offsets(admin, read, OffsetSpec.latest());
            Map<TopicPartition, Place> partitions = new HashMap<>();
            for (TopicPartition partition : read) {
                OffsetAndMetadata offset = committed.get(partition);
                partitions.put(
                        partition,
                        new Place(
                                starts.getOrDefault(partition, 0L),
                                offset == null ? NONE : offset.offset(),
                                ends.getOrDefault(partition, 0L)));
            }
            return new Vitals(
                    described.groupState().toString(), described.members().size(), partitions);
        } catch (ExecutionException | TimeoutException failed) {
            boolean isNew = failed.getCause() instanceof GroupIdNotFoundException;
            return new Vitals(isNew ? ABSENT : UNREACHABLE, 0, Map.of());
        }
    }

    private static Map<TopicPartition, Long> offsets(Admin admin, List<TopicPartition> read, OffsetSpec which)
            throws InterruptedException, ExecutionException, TimeoutException {
        Map<TopicPartition, OffsetSpec> asked =
                read.stream().collect(Collectors.toMap(partition -> partition, _ -> which));
        return get(admin.listOffsets(asked).all()).entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, answer -> answer.getValue().offset()));
    }

    private static <T> T get(KafkaFuture<T> future) throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    long lag() {
        return partitions.values().stream().mapToLong(Place::lag).sum();
    }

    /** The sum of the committed offsets. */
    long committed() {
        return partitions.values().stream()
                .mapToLong(place -> Math.max(0, place.committed()))
                .sum();
    }

    boolean hasCommits() {
        return partitions.values().stream().anyMatch(place -> place.committed() >= 0);
    }

    @Override
    public String toString() {
        return state.equals(UNREACHABLE)
                ? "no broker answers"
                : String.format(
                        Locale.ROOT, "%s, %d members, lag %,d, committed %,d", state, members, lag(), committed());
    }
}
