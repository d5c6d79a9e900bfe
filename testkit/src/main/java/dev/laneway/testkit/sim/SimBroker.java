package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A simulated Kafka cluster: topics with logs, consumer groups of both protocols, transactions. To clients it behaves
 * as a 4.3 broker; one contract suite runs against both. It is single-threaded: everything happens in a client's call
 * or when the clock of the {@link Simulation} moves.
 *
 * <p>{@link #consumer} and {@link #producer} make clients by Kafka's own properties. The other methods do what an
 * administrator, another application or a failure would do.
 *
 * <p>Thread contract: the simulation's.
 */
public final class SimBroker {
    static final Comparator<TopicPartition> PARTITIONS =
            Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

    /** The one node that clients see. */
    static final Node NODE = new Node(1, "simulated", 9092);

    private final SimClock clock;
    private final SimTrace trace;
    private final Faults faults;
    private final SimWait wait;
    private final SplittableRandom random;
    private final Map<String, List<SimLog>> topics = new TreeMap<>();
    private final Map<String, SimGroup> groups = new LinkedHashMap<>();
    private final SimTransactions transactions;
    private int offsetMetadataMaxSize = 4096;
    private long initialRebalanceDelayNanos;
    private long consumerSessionTimeoutNanos = Duration.ofSeconds(45).toNanos();
    private long consumerAssignmentIntervalNanos = Duration.ofSeconds(1).toNanos();
    private long consumerHeartbeatNanos = Duration.ofSeconds(5).toNanos();
    private long coordinatorReadyNanos;
    private final List<BooleanSupplier> logWatchers = new ArrayList<>();
    private final Set<TopicPartition> leaderless = new HashSet<>();
    private final List<CommitListener> commitListeners = new ArrayList<>();
    private int clients;
    private boolean down;

    /** Hears of each offset that a group stores. */
    @FunctionalInterface
    public interface CommitListener {
        /** Called when the offset has been stored, before the answer to the commit. */
        void stored(String group, TopicPartition partition, OffsetAndMetadata offset);
    }

    SimBroker(SimClock clock, SimTrace trace, Faults faults, SimWait wait, SplittableRandom random) {
        this.clock = clock;
        this.trace = trace;
        this.faults = faults;
        this.wait = wait;
        this.random = random;
        this.transactions = new SimTransactions(this);
    }

    // Clients

    /**
     * A new consumer.
     *
     * @param properties as for {@code KafkaConsumer}; {@code bootstrap.servers} and deserializers may be left out
     * @throws org.apache.kafka.common.config.ConfigException if Kafka's own checks of the properties fail
     */
    public SimConsumer consumer(Map<String, ?> properties) {
        SimConsumerConfig config = SimConsumerConfig.of(properties, "consumer-" + ++clients);
        return new SimConsumer(this, config);
    }

    /**
     * A new producer.
     *
     * @param properties as for {@code KafkaProducer}; {@code bootstrap.servers} and serializers may be left out
     * @throws org.apache.kafka.common.config.ConfigException if Kafka's own checks of the properties fail
     */
    public SimProducer producer(Map<String, ?> properties) {
        return new SimProducer(this, SimProducerConfig.of(properties, "producer-" + ++clients), random.split());
    }

    // Topics and records

    /**
     * Creates a topic.
     *
     * @throws IllegalArgumentException if it exists or has no partition
     */
    public void createTopic(String topic, int partitions) {
        if (topics.containsKey(topic) || partitions < 1) {
            throw new IllegalArgumentException("topic " + topic + " with " + partitions
                    + " partitions: the name must be new and there must be at least one partition");
        }
        topics.put(topic, new ArrayList<>());
        addPartitions(topic, partitions);
    }

    /** Raises the number of partitions of a topic to the given total. */
    public void addPartitions(String topic, int total) {
        List<SimLog> logs = logs(topic);
        while (logs.size() < total) {
            logs.add(new SimLog(new TopicPartition(topic, logs.size())));
        }
    }

    /** Deletes a topic, and what groups have committed of it. Later commits of it fail, since the topic is unknown. */
    public void deleteTopic(String topic) {
        leaderless.removeIf(partition -> partition.topic().equals(topic));
        groups.values()
                .forEach(group ->
                        group.offsets().keySet().removeIf(id -> id.topic().equals(topic)));
        topics.remove(topic);
        trace.event("deleted", topic);
    }

    /** Whether there is such a partition. */
    public boolean exists(TopicPartition partition) {
        return findLog(partition) != null;
    }

    /** Appends a record, as a producer without any delay would. Returns its offset. */
    public long append(String topic, int partition, byte @Nullable [] key, byte @Nullable [] value) {
        return append(topic, partition, clock.millis(), key, value, null);
    }

    /** Appends a record with a timestamp and headers. Returns its offset. */
    public long append(
            String topic,
            int partition,
            long timestamp,
            byte @Nullable [] key,
            byte @Nullable [] value,
            @Nullable Headers headers) {
        return append(new TopicPartition(topic, partition), new SimLog.SimRecord(timestamp, key, value, headers));
    }

    long append(TopicPartition partition, SimLog.SimRecord data) {
        long offset = log(partition).append(data, SimLog.NO_PRODUCER);
        logChanged();
        return offset;
    }

    /** Leaves a gap: the partition goes on at this offset. An empty partition then begins there. */
    public void skipTo(TopicPartition partition, long offset) {
        log(partition).skipTo(offset);
        logChanged();
    }

    /** Deletes all records before an offset, as an administrator or retention does. */
    public void deleteRecordsBefore(TopicPartition partition, long offset) {
        log(partition).deleteBefore(offset);
        trace.event("deleted-before", partition, offset);
        logChanged();
    }

    /** Deletes all records of a topic that are older, as time-based retention does. */
    public void retain(String topic, Duration age) {
        for (SimLog log : logs(topic)) {
            log.deleteBefore(log.offsetOfRetention(clock.millis() - age.toMillis()));
        }
        trace.event("retained", topic, age.toMillis());
        logChanged();
    }

    /** Compacts a partition: the latest record of each key stays, and the last record of all. */
    public void compact(TopicPartition partition) {
        log(partition).compact();
        trace.event("compacted", partition);
    }

    /** The offset of the first record that can be read. */
    public long startOffset(TopicPartition partition) {
        return log(partition).startOffset();
    }

    /** The offset that the next record gets. */
    public long endOffset(TopicPartition partition) {
        return log(partition).endOffset();
    }

    /** Everything that a read_committed consumer could read, in order. */
    public List<ConsumerRecord<byte[], byte[]>> records(TopicPartition partition) {
        SimLog log = log(partition);
        return log.read(log.startOffset(), Integer.MAX_VALUE, true, true).records();
    }

    /** The number of partitions of a topic. */
    public int partitions(String topic) {
        return logs(topic).size();
    }

    // Groups

    /** The committed offsets of a group; empty if it is not known. */
    public Map<TopicPartition, OffsetAndMetadata> committed(String group) {
        SimGroup known = groups.get(group);
        return known == null ? Map.of() : new LinkedHashMap<>(known.offsets());
    }

    /** Calls this for each offset that a client commits from now on, in the order in which they are stored. */
    public void onCommitted(CommitListener listener) {
        commitListeners.add(listener);
    }

    /** Sets offsets of a group, as an administrator does. Unlike Kafka this works while the group has members, too. */
    public void alterOffsets(String group, Map<TopicPartition, OffsetAndMetadata> offsets) {
        group(group).offsets().putAll(offsets);
        trace.event("altered", group, offsets.size());
    }

    /** The ids of a group's members, in the order in which they joined. */
    public List<String> members(String group) {
        SimMembers members = group(group).members();
        return members == null ? List.of() : members.memberIds();
    }

    /** Which member of a group each partition is assigned to. */
    public Map<TopicPartition, String> owners(String group) {
        SimMembers members = group(group).members();
        return members == null ? Map.of() : members.owners();
    }

    /** Throws a member out, as when its session has timed out. Its next request fails. */
    public void evict(String group, String memberId) {
        SimMembers members = group(group).members();
        if (members != null) {
            members.evict(memberId);
        }
    }

    /** Makes a group rebalance without any change of its members. */
    public void rebalance(String group) {
        SimMembers members = group(group).members();
        if (members != null) {
            members.rebalance();
        }
    }

    /** Moves the group coordinators: until it has loaded, the new one answers {@code COORDINATOR_LOAD_IN_PROGRESS}. */
    public void moveCoordinator(Duration loading) {
        coordinatorReadyNanos = SimClock.saturatedAdd(clock.nanoTime(), SimTimes.nanos(loading));
        trace.event("coordinator-moves", SimTimes.nanos(loading));
    }

    // The cluster itself

    /** Moves a partition's leader: the leader epoch of what is written from now on is one higher. */
    public void moveLeader(TopicPartition partition) {
        log(partition).bumpLeaderEpoch();
    }

    /**
     * Elects a replica that lacks all records from this offset on: they are lost, and new records get their offsets.
     */
    public void cutLog(TopicPartition partition, long offset) {
        log(partition).cut(offset);
        trace.event("cut", partition, offset);
        logChanged();
    }

    /** Removes the leader of a partition until {@link #electLeader}: it cannot be read, nor its offsets looked up. */
    public void loseLeader(TopicPartition partition) {
        log(partition);
        leaderless.add(partition);
        trace.event("leader-lost", partition);
    }

    /** Gives a partition a leader again. */
    public void electLeader(TopicPartition partition) {
        if (leaderless.remove(partition)) {
            log(partition).bumpLeaderEpoch();
            trace.event("leader-elected", partition);
            logChanged();
        }
    }

    /** The cluster stops answering. */
    public void down() {
        down = true;
        trace.event("down");
    }

    /** The cluster answers again. */
    public void up() {
        if (down) {
            down = false;
            trace.event("up");
        }
    }

    /** Sets {@code offset.metadata.max.bytes}, 4096 by default; counted, as in Kafka, in UTF-16 code units. */
    public void offsetMetadataMaxSize(int size) {
        offsetMetadataMaxSize = size;
    }

    /** Sets {@code group.initial.rebalance.delay.ms}, zero by default (Kafka's default is three seconds). */
    public void initialRebalanceDelay(Duration delay) {
        initialRebalanceDelayNanos = SimTimes.nanos(delay);
    }

    /** Sets {@code group.consumer.assignment.interval.ms}, 1 s by default. */
    public void consumerAssignmentInterval(Duration interval) {
        consumerAssignmentIntervalNanos = SimTimes.nanos(interval);
    }

    /**
     * Sets {@code group.consumer.session.timeout.ms} and {@code group.consumer.heartbeat.interval.ms}, by default 45 s
     * and 5 s.
     */
    public void consumerGroupTimes(Duration sessionTimeout, Duration heartbeatInterval) {
        consumerSessionTimeoutNanos = SimTimes.nanos(sessionTimeout);
        consumerHeartbeatNanos = SimTimes.nanos(heartbeatInterval);
    }

    // For the clients

    SimClock clock() {
        return clock;
    }

    SimTrace trace() {
        return trace;
    }

    Faults faults() {
        return faults;
    }

    SimWait waiting() {
        return wait;
    }

    SimTransactions transactions() {
        return transactions;
    }

    /** Calls this whenever a log changes, until it returns true. */
    void onLogChange(BooleanSupplier isDone) {
        logWatchers.add(isDone);
    }

    void logChanged() {
        logWatchers.removeIf(BooleanSupplier::getAsBoolean);
    }

    boolean isDown() {
        return down;
    }

    int offsetMetadataMaxSize() {
        return offsetMetadataMaxSize;
    }

    long initialRebalanceDelayNanos() {
        return initialRebalanceDelayNanos;
    }

    long consumerSessionTimeoutNanos() {
        return consumerSessionTimeoutNanos;
    }

    long consumerAssignmentIntervalNanos() {
        return consumerAssignmentIntervalNanos;
    }

    long consumerHeartbeatNanos() {
        return consumerHeartbeatNanos;
    }

    int nextMemberNumber() {
        return ++clients;
    }

    void committed(String group, TopicPartition partition, OffsetAndMetadata offset) {
        commitListeners.forEach(listener -> listener.stored(group, partition, offset));
    }

    SimGroup group(String id) {
        return groups.computeIfAbsent(id, name -> new SimGroup(this, name));
    }

    /** A group, asked by a client: the coordinator must have loaded it. */
    SimGroup coordinated(String id) {
        if (clock.nanoTime() < coordinatorReadyNanos) {
            throw new CoordinatorLoadInProgressException("the coordinator of group " + id + " is loading");
        }
        return group(id);
    }

    Collection<SimGroup> allGroups() {
        return groups.values();
    }

    Collection<String> topicNames() {
        return topics.keySet();
    }

    @Nullable
    SimLog findLog(TopicPartition partition) {
        List<SimLog> logs = topics.get(partition.topic());
        return logs == null || partition.partition() >= logs.size() ? null : logs.get(partition.partition());
    }

    /** The log as its leader has it; null if the partition has no leader. */
    @Nullable
    SimLog ledLog(TopicPartition partition) {
        return leaderless.contains(partition) ? null : findLog(partition);
    }

    SimLog log(TopicPartition partition) {
        return Objects.requireNonNull(findLog(partition), () -> partition + " does not exist: create the topic first");
    }

    /** All partitions of those of the topics that exist, in order. */
    List<TopicPartition> partitionsOf(Collection<String> names) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (String name : names) {
            List<SimLog> logs = topics.getOrDefault(name, List.of());
            for (int i = 0; i < logs.size(); i++) {
                partitions.add(new TopicPartition(name, i));
            }
        }
        return partitions;
    }

    private List<SimLog> logs(String topic) {
        return Objects.requireNonNull(topics.get(topic), () -> "topic " + topic + " does not exist: create it first");
    }
}
