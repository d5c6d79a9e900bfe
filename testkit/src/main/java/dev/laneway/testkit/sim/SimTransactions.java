package dev.laneway.testkit.sim;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.jspecify.annotations.Nullable;

/**
 * The transaction coordinator: which producer may write under a transactional.id, what its transaction has written, and
 * how it ends.
 */
final class SimTransactions {
    private final SimBroker broker;
    private final Map<String, Transaction> byId = new LinkedHashMap<>();
    private long producerIds;

    /** A producer as the coordinator knows it. A lower epoch than the current one is fenced. */
    record Producer(String transactionalId, long producerId, int epoch) {}

    private static final class Transaction {
        final long producerId;
        final Set<TopicPartition> partitions = new LinkedHashSet<>();
        final Set<SimGroup> groups = new LinkedHashSet<>();
        int epoch = -1;
        long timeoutNanos;

        @Nullable
        SimTimer timeout;

        Transaction(long producerId) {
            this.producerId = producerId;
        }

        boolean isOpen() {
            return !partitions.isEmpty() || !groups.isEmpty();
        }
    }

    SimTransactions(SimBroker broker) {
        this.broker = broker;
    }

    long nextProducerId() {
        return ++producerIds;
    }

    /** Makes the caller the producer of this id: an earlier one is fenced, and its open transaction is aborted. */
    Producer init(String transactionalId, long timeoutNanos) {
        Transaction transaction = byId.computeIfAbsent(transactionalId, id -> new Transaction(nextProducerId()));
        finish(transaction, false);
        transaction.epoch++;
        transaction.timeoutNanos = timeoutNanos;
        broker.trace().event("init-transactions", transactionalId, transaction.epoch);
        return new Producer(transactionalId, transaction.producerId, transaction.epoch);
    }

    long append(Producer producer, TopicPartition partition, SimLog.SimRecord data) {
        Transaction transaction = byId.get(producer.transactionalId());
        if (transaction == null || transaction.epoch != producer.epoch()) {
            throw new InvalidProducerEpochException(
                    "a newer producer writes under transactional.id " + producer.transactionalId());
        }
        open(producer, transaction);
        transaction.partitions.add(partition);
        long offset = broker.log(partition).append(data, transaction.producerId);
        broker.logChanged();
        return offset;
    }

    void commitOffsets(
            Producer producer, String group, SimMembers.Identity who, Map<TopicPartition, OffsetAndMetadata> offsets) {
        Transaction transaction = current(producer);
        open(producer, transaction);
        // As in Kafka the group is added to the transaction before its coordinator is asked, whatever the answer.
        transaction.groups.add(broker.group(group));
        broker.coordinated(group).commitInTransaction(who, transaction.producerId, offsets);
    }

    void end(Producer producer, boolean commit) {
        finish(current(producer), commit);
    }

    private Transaction current(Producer producer) {
        Transaction transaction = Objects.requireNonNull(byId.get(producer.transactionalId()));
        if (transaction.epoch != producer.epoch()) {
            throw new ProducerFencedException(
                    "a newer producer writes under transactional.id " + producer.transactionalId());
        }
        return transaction;
    }

    private void open(Producer producer, Transaction transaction) {
        if (!transaction.isOpen()) {
            transaction.timeout = broker.clock().schedule(transaction.timeoutNanos, () -> {
                broker.trace().event("transaction-timeout", producer.transactionalId());
                finish(transaction, false);
                transaction.epoch++;
            });
        }
    }

    private void finish(Transaction transaction, boolean commit) {
        if (transaction.timeout != null) {
            transaction.timeout.cancel();
        }
        if (transaction.isOpen()) {
            for (TopicPartition partition : transaction.partitions) {
                broker.log(partition)
                        .endTransaction(
                                transaction.producerId, commit, broker.clock().millis());
            }
            transaction.groups.forEach(group -> group.endTransaction(transaction.producerId, commit));
            broker.trace().event(commit ? "transaction-committed" : "transaction-aborted", transaction.producerId);
            transaction.partitions.clear();
            transaction.groups.clear();
            broker.logChanged();
        }
    }
}
