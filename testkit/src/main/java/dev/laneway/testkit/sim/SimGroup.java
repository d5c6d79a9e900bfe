package dev.laneway.testkit.sim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnstableOffsetCommitException;
import org.jspecify.annotations.Nullable;

/**
 * One consumer group at its coordinator: committed offsets, offsets in open transactions, and members of one protocol
 * or the other.
 */
final class SimGroup {
    private static final String COMMITTED = "committed";

    private final SimBroker broker;
    private final String id;
    private final Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
    private final Map<Long, Map<TopicPartition, OffsetAndMetadata>> pending = new LinkedHashMap<>();
    private @Nullable SimMembers members;

    SimGroup(SimBroker broker, String id) {
        this.broker = broker;
        this.id = id;
    }

    String id() {
        return id;
    }

    @Nullable
    SimMembers members() {
        return members;
    }

    /** The members under the classic protocol. A group changes its protocol only while it is empty. */
    SimClassicGroup classic() {
        if (members instanceof SimClassicGroup classic) {
            return classic;
        }
        requireEmpty("classic");
        SimClassicGroup classic = new SimClassicGroup(broker, id);
        members = classic;
        return classic;
    }

    SimConsumerGroup modern() {
        if (members instanceof SimConsumerGroup modern) {
            return modern;
        }
        requireEmpty("consumer");
        SimConsumerGroup modern = new SimConsumerGroup(broker, id);
        members = modern;
        return modern;
    }

    private void requireEmpty(String protocol) {
        SimMembers present = members;
        if (present != null && !present.isEmpty()) {
            throw new InconsistentGroupProtocolException(
                    "group " + id + " has members of the other group.protocol; a member with " + protocol
                            + " can join when they have left");
        }
    }

    void commit(SimMembers.Identity who, Map<TopicPartition, OffsetAndMetadata> commit) {
        validate(who, commit.keySet(), false);
        store(commit, offsets, COMMITTED);
    }

    void commitInTransaction(SimMembers.Identity who, long producerId, Map<TopicPartition, OffsetAndMetadata> commit) {
        validate(who, commit.keySet(), true);
        store(commit, pending.computeIfAbsent(producerId, p -> new LinkedHashMap<>()), "committed-in-transaction");
    }

    void endTransaction(long producerId, boolean commit) {
        Map<TopicPartition, OffsetAndMetadata> written = pending.remove(producerId);
        if (written != null && commit) {
            store(written, offsets, COMMITTED);
        }
    }

    private void validate(SimMembers.Identity who, Set<TopicPartition> partitions, boolean transactional) {
        SimMembers present = members;
        if (present != null) {
            present.validateCommit(who, partitions, transactional);
        } else if (who.generation() >= 0) {
            throw new UnknownMemberIdException("group " + id + " has no member " + who.memberId());
        }
    }

    /**
     * As in Kafka each partition is checked by itself: one with too much metadata does not prevent storing the others.
     */
    private void store(
            Map<TopicPartition, OffsetAndMetadata> commit, Map<TopicPartition, OffsetAndMetadata> into, String what) {
        RuntimeException firstError = null;
        for (Map.Entry<TopicPartition, OffsetAndMetadata> entry : commit.entrySet()) {
            TopicPartition partition = entry.getKey();
            OffsetAndMetadata offset = entry.getValue();
            RuntimeException error = null;
            if (broker.findLog(partition) == null) {
                error = new UnknownTopicOrPartitionException(partition + " does not exist");
            } else if (offset.metadata() != null && offset.metadata().length() > broker.offsetMetadataMaxSize()) {
                error = new OffsetMetadataTooLarge("The metadata field of the offset request was too large: "
                        + offset.metadata().length() + " > offset.metadata.max.bytes = "
                        + broker.offsetMetadataMaxSize());
            } else {
                into.put(partition, offset);
                broker.trace().event(what, id, partition, offset.offset(), offset.metadata());
                if (what.equals(COMMITTED)) {
                    broker.committed(id, partition, offset);
                }
            }
            if (firstError == null) {
                firstError = error;
            }
        }
        if (firstError != null) {
            throw firstError;
        }
    }

    /** Committed offsets as a member reads them. Those that an open transaction will change are not known yet. */
    Map<TopicPartition, OffsetAndMetadata> fetch(Set<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> result = new LinkedHashMap<>();
        for (TopicPartition partition : partitions) {
            for (Map<TopicPartition, OffsetAndMetadata> written : pending.values()) {
                if (written.containsKey(partition)) {
                    throw new UnstableOffsetCommitException(
                            "a transaction that writes the offset of " + partition + " is still open");
                }
            }
            result.put(partition, offsets.get(partition));
        }
        return result;
    }

    Map<TopicPartition, OffsetAndMetadata> offsets() {
        return offsets;
    }
}
