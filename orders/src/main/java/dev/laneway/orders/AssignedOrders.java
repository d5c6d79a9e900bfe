package dev.laneway.orders;

import dev.laneway.RebalanceListener;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.common.TopicPartition;

/**
 * The orders of the partitions that this process has: read when a partition is assigned, dropped when it is given up.
 * Reading holds up nobody but the handlers that wait for it. Thread-safe.
 */
final class AssignedOrders implements RebalanceListener, AutoCloseable {
    private final OwnTopics own;
    private final StateReader reader;
    private final Map<Integer, CompletableFuture<PartitionOrders>> partitions = new ConcurrentHashMap<>();
    private final ExecutorService readers = Executors.newThreadPerTaskExecutor(
            Thread.ofPlatform().daemon().name("order-state-", 1).factory());

    AssignedOrders(OwnTopics own, StateReader reader) {
        this.own = own;
        this.reader = reader;
    }

    @Override
    public void onAssigned(Collection<TopicPartition> assigned) {
        Map<Integer, CompletableFuture<PartitionOrders>> wanted = new HashMap<>();
        for (TopicPartition each : assigned) {
            if (each.topic().equals(own.events())) {
                wanted.put(each.partition(), new CompletableFuture<>());
            }
        }
        partitions.putAll(wanted);
        if (!wanted.isEmpty()) {
            readers.execute(() -> reader.read(wanted));
        }
    }

    @Override
    public void onRevoked(Collection<TopicPartition> revoked) {
        for (TopicPartition each : revoked) {
            CompletableFuture<PartitionOrders> former =
                    each.topic().equals(own.events()) ? partitions.remove(each.partition()) : null;
            if (former != null) {
                former.cancel(false);
            }
        }
    }

    @Override
    public void onLost(Collection<TopicPartition> lost) {
        onRevoked(lost);
    }

    /** The orders of a partition, as soon as they are read. */
    PartitionOrders await(int partition) throws InterruptedException, ExecutionException {
        return Objects.requireNonNull(partitions.get(partition), "a record of a partition that is not assigned")
                .get();
    }

    /** How many orders are known; those that are being read do not count yet. */
    long size() {
        return partitions.values().stream()
                .filter(each -> each.state() == Future.State.SUCCESS)
                .mapToLong(each -> each.resultNow().size())
                .sum();
    }

    /** How many partitions are being read. */
    long restoring() {
        return partitions.values().stream().filter(each -> !each.isDone()).count();
    }

    @Override
    public void close() {
        partitions.values().forEach(each -> each.cancel(false));
        readers.shutdownNow();
    }
}
