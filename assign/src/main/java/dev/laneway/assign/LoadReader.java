package dev.laneway.assign;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks brokers what partitions take: records that were appended a second, by the times that records have, and what is
 * left to read, as if it were read in {@code catchUp}. So it needs no past of its own, and any member can be asked.
 */
final class LoadReader {
    private final Admin admin;
    private final AssignorSettings settings;

    LoadReader(Admin admin, AssignorSettings settings) {
        this.admin = admin;
        this.settings = settings;
    }

    /**
     * Records a second of each partition of which brokers tell within the limit, such as those with a leader.
     *
     * @param isFromStart whether a group begins at the start of a partition for which it has committed nothing
     * @throws ExecutionException if none of them is told
     */
    Map<TopicPartition, Double> read(
            String group, Collection<TopicPartition> partitions, boolean isFromStart, long nowMillis)
            throws ExecutionException, InterruptedException {
        long deadline = System.nanoTime() + settings.limit().toNanos();
        long since = nowMillis - settings.window().toMillis();
        ListOffsetsResult ends = ask(partitions, OffsetSpec.latest());
        ListOffsetsResult befores = ask(partitions, OffsetSpec.forTimestamp(since));
        ListOffsetsResult starts = isFromStart ? ask(partitions, OffsetSpec.earliest()) : ends;
        KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> commits =
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata();
        Map<TopicPartition, Double> loads = new HashMap<>();
        Exception failure =
                new TimeoutException("no answer in " + settings.limit().toMillis() + " ms");
        try {
            Map<TopicPartition, OffsetAndMetadata> committed = get(commits, deadline);
            for (TopicPartition partition : partitions) {
                try {
                    long end = get(ends.partitionResult(partition), deadline).offset();
                    long before =
                            get(befores.partitionResult(partition), deadline).offset();
                    OffsetAndMetadata own = committed.get(partition);
                    long position = own != null
                            ? own.offset()
                            : get(starts.partitionResult(partition), deadline).offset();
                    loads.put(partition, settings.load(before < 0 ? 0 : end - before, end - position));
                } catch (ExecutionException | TimeoutException unknown) {
                    failure = unknown;
                }
            }
        } catch (ExecutionException | TimeoutException unknown) {
            failure = unknown;
        }
        if (loads.isEmpty()) {
            throw failure instanceof ExecutionException told ? told : new ExecutionException(failure);
        }
        return loads;
    }

    private ListOffsetsResult ask(Collection<TopicPartition> partitions, OffsetSpec at) {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions.forEach(partition -> asked.put(partition, at));
        return admin.listOffsets(asked);
    }

    private static <T> T get(KafkaFuture<T> future, long deadline)
            throws ExecutionException, InterruptedException, TimeoutException {
        return future.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
}
