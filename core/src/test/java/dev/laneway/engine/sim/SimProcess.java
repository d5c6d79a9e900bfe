package dev.laneway.engine.sim;

import dev.laneway.BrokerException;
import dev.laneway.Health;
import dev.laneway.RebalanceListener;
import dev.laneway.engine.Engine;
import dev.laneway.engine.MemberWiring;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.track.Event;
import dev.laneway.engine.track.Partition;
import dev.laneway.testkit.sim.SimConsumer;
import dev.laneway.testkit.sim.SimProducer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.jspecify.annotations.Nullable;

/** One process with one engine in it, whose owner's turns are a task of the simulation. */
final class SimProcess {
    /** One poll in so many returns late. */
    private static final int LATE_POLLS = 16;

    private static final int LATEST_NANOS = 5_000_000;

    final String name;
    final MemberWiring parts;
    final Engine engine;
    final SimOwner owner;
    final SimHandlers handlers;
    final SimControls controls;
    /** Which name its transactions have: that of no other living process. */
    final int slot;

    final SimWorld world;
    private final SimHost host;
    private final SimConsumer consumer;
    private final List<SimProducer> producers = new ArrayList<>();
    private final List<SimConsumer> refills = new ArrayList<>();
    private final Map<TopicPartition, SimEpoch> epochs = new HashMap<>();
    /** What was polled before an assignment of its own was made of it. */
    private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> again = new HashMap<>();
    /** Where the latest poll of each has got to, records or not. */
    private final Map<TopicPartition, Long> movedTo = new HashMap<>();

    private final Set<TopicPartition> revoking = new HashSet<>();
    private final Set<TopicPartition> losing = new HashSet<>();
    private boolean mayFail;
    private long endedNanos;
    private int generation;
    private int transactionGeneration;
    private long largestRecordBytes;
    private long unforeseenBytes;
    private @Nullable Map<TopicPartition, OffsetAndMetadata> lastCommit;

    static final long NEVER = -1;

    /** Since when the owner waits for what is committed, before it sends what it has put together; or NEVER. */
    private long askedNanos = NEVER;

    SimProcess(SimWorld world, String name, int slot) {
        this.world = world;
        this.name = name;
        this.slot = slot;
        this.controls = new SimControls(this);
        this.host = new SimHost(
                world.sim,
                world.random.split(),
                () -> world.check.breach("B47 a thread of " + this + " that runs no handler was interrupted"));
        this.consumer = world.sim.broker().consumer(world.plan.consumer(name, slot));
        this.consumer.waitInPoll();
        this.handlers = new SimHandlers(world, this, host);
        SimTap tap = new SimTap(this, world.check);
        this.parts = MemberWiring.of(
                host,
                world.options(),
                world.plan.member(name),
                handlers.handling(),
                new RebalanceListener() {},
                tap.consumer(consumer),
                () -> tap.refill(refill()),
                () -> tap.producer(producer(null)),
                number -> tap.producer(producer("tx" + slot + "-" + number)));
        this.engine = new Engine(parts);
        this.owner = new SimOwner(engine, host);
        parts.committer().make();
    }

    /** The client that reads spilled records again. */
    private SimConsumer refill() {
        if (isDead()) {
            throw new IllegalStateException("the process is dead");
        }
        SimConsumer made = world.sim.broker().consumer(world.plan.refill(name));
        made.waitInPoll();
        refills.add(made);
        return made;
    }

    private Producer<byte[], byte[]> producer(@Nullable String transactionalId) {
        if (isDead()) {
            throw new IllegalStateException("the process is dead");
        }
        SimProducer made = world.sim.broker().producer(world.plan.producer(transactionalId));
        producers.add(made);
        return made;
    }

    void start() {
        world.sim.trace().event("start", name);
        world.sim
                .scheduler()
                .execute(() -> owner.own(this::hasTurned, () -> countWhatRuns(epochs.keySet()), this::ended));
        if (world.plan.isToldOfTopics()) {
            new SimTopicLook(this).begin();
        }
    }

    private boolean hasTurned() {
        world.check.turned(this);
        return !world.check.isBroken();
    }

    private void ended(@Nullable Throwable failure) {
        endedNanos = world.sim.clock().nanoTime();
        world.sim.trace().event("ended", name, failure == null ? "" : failure.getClass());
        boolean explained = mayFail || handlers.hasStopped() || isExcused(failure);
        if (failure != null && explained) {
            world.check.mayLose(world.plan.maxPollRecords);
        } else if (failure != null) {
            world.check.breach(new AssertionError(this + " failed without reason: " + failure, failure));
        }
    }

    /**
     * Whether it may stop for what the theme does to it: nobody answered within the user's limit, or another has its
     * transactional id or, by the group's knowledge, its instance id. For all else it has to wait.
     */
    private boolean isExcused(@Nullable Throwable failure) {
        if (!(failure instanceof BrokerException)) {
            return false;
        }
        if (failure.getCause() instanceof UnreleasedInstanceIdException) {
            return world.isInstanceTaken(this);
        }
        if (isAbout(failure, NoOffsetForPartitionException.class)) {
            return world.lacksStart();
        }
        if (!world.plan.theme.isRough()) {
            return false;
        }
        String why = String.valueOf(failure.getMessage());
        return why.contains("brokerLimit") || (world.plan.isExactlyOnce() && why.contains("was fenced"));
    }

    private static boolean isAbout(Throwable failure, Class<? extends Throwable> type) {
        Throwable cause = failure;
        while (cause != null && !type.isInstance(cause)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** A poll has found what it returns, and the thread is slow: a wake-up that was meant for it comes too late. */
    void returnsLate() {
        if (!world.isCalm() && world.random.nextInt(LATE_POLLS) == 0) {
            try {
                world.sim.sleep(Duration.ofNanos(world.random.nextInt(LATEST_NANOS)));
            } catch (InterruptedException stray) {
                throw new AssertionError("the owner is interrupted", stray);
            }
        }
    }

    /** Whether it ended no longer ago than that, by the clock. */
    boolean hasEndedSince(long nanos) {
        return isEnded() && world.sim.clock().nanoTime() - endedNanos <= nanos;
    }

    void progressed(TopicPartition id) {
        world.progress().moved(id);
    }

    Health health() {
        return owner.health(world.options());
    }

    void note(Event event) {
        world.sim.trace().event("asks", name, event.getClass().getSimpleName());
    }

    /** The process dies, and says nothing to anybody. */
    void kill() {
        world.sim.trace().event("kill", name);
        world.check.mayLose(world.plan.maxPollRecords);
        endedNanos = world.sim.clock().nanoTime();
        host.die();
        consumer.kill();
        producers.forEach(SimProducer::kill);
        refills.forEach(SimConsumer::kill);
    }

    void close(Duration limit) {
        world.sim.trace().event("close", name);
        parts.core().inbox().close(limit);
    }

    boolean isEnded() {
        return isDead() || parts.core().lifecycle().ended().isDone();
    }

    boolean isDead() {
        return host.isDead();
    }

    /** It may end with a failure from now on. */
    void mayFail() {
        mayFail = true;
    }

    // ---------------------------------------------------------------- for the checks

    /** The current assignment of the partition; null when it has none. */
    @Nullable
    SimEpoch epoch(TopicPartition id) {
        Partition partition = parts.core().assignment().get(id);
        if (partition == null) {
            return null;
        }
        SimEpoch known = epochs.get(id);
        if (known == null || known.track != partition.track) {
            known = new SimEpoch(this, partition, world.plan, world.logs, world.check);
            epochs.put(id, known);
            List<ConsumerRecord<byte[], byte[]>> first = again.remove(id);
            if (first != null && first.getFirst().offset() == partition.start) {
                world.check.breach(known.delivered(first), this);
                known.position = Math.max(known.position, movedTo.getOrDefault(id, 0L));
            }
        }
        return known;
    }

    /** Whether a poll goes back since the log is not what it was; then the records are those of another assignment. */
    boolean goesBack(SimEpoch epoch, List<ConsumerRecord<byte[], byte[]>> records) {
        long first = records.getFirst().offset();
        boolean back = first < epoch.position && world.logs.mayBeReadAgain(epoch.id, first);
        if (back) {
            again.put(epoch.id, records);
            Partition partition = parts.core().assignment().get(epoch.id);
            Progress confirmed = partition == null ? null : partition.committed;
            world.check.goesBack(epoch.id, confirmed == null ? 0 : confirmed.offset());
        }
        return back;
    }

    void noteEpochs() {
        generation = consumer.groupMetadata().generationId();
        parts.core().assignment().all().forEach(partition -> epoch(partition.id));
    }

    /** A poll has moved on, perhaps without records. */
    void moved(TopicPartition id, long next) {
        movedTo.put(id, next);
        SimEpoch epoch = epoch(id);
        if (epoch != null) {
            epoch.position = Math.max(epoch.position, next);
        }
    }

    /** The client that reads spilled records again has found these. */
    void readAgain(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition id : records.partitions()) {
            SimEpoch epoch = epoch(id);
            if (epoch != null) {
                epoch.readAgain(records.records(id));
            }
        }
    }

    /** The engine makes the consumer leave out what is done. */
    void skips(TopicPartition id, long next) {
        SimEpoch epoch = epoch(id);
        if (epoch != null) {
            epoch.position = Math.max(epoch.position, next);
        }
    }

    /** Null when a record of the partition may begin, as far as the process goes. */
    @Nullable
    String whyNothingMayBegin(TopicPartition id) {
        if (engine.isClosing()) {
            return "B53 after its close";
        }
        return revoking.contains(id)
                ? "B33 while the partition is given up"
                : controls.isPaused(id) ? "B59 while it is paused" : null;
    }

    /** Null when the group may read the record, by where it started. */
    @Nullable
    String mayBeginAt(TopicPartition id, long offset) {
        SimStarts starts = world.starts();
        return starts == null ? null : starts.mayBegin(id, offset);
    }

    /** Whether an offset may be committed of a partition that is not being read: as the start of the group. */
    boolean mayStart(TopicPartition id, OffsetAndMetadata offset) {
        SimStarts starts = world.starts();
        return starts != null && starts.isOverridden(id) && offset.metadata().isEmpty();
    }

    void revokes(Collection<TopicPartition> ids) {
        revoking.addAll(ids);
    }

    void revoked() {
        countWhatRuns(revoking);
        revoking.clear();
    }

    /** What still runs when its partition is given up may have been lost, where it was committed before. */
    private void countWhatRuns(Collection<TopicPartition> ids) {
        for (TopicPartition id : ids) {
            SimEpoch epoch = epochs.get(id);
            if (epoch != null && epoch.isRunning(world.sim.clock().nanoTime())) {
                world.check.mayLose(world.plan.maxPollRecords);
            }
        }
    }

    void loses(Collection<TopicPartition> ids) {
        losing.addAll(ids);
        for (TopicPartition id : ids) {
            if (epochs.containsKey(id)) {
                world.check.mayLose(world.plan.maxPollRecords);
            }
        }
    }

    void lost() {
        losing.clear();
    }

    /** Where it is committed before, a poll may be lost until the broker has answered. */
    void commitBegins() {
        world.check.mayLose(world.plan.maxPollRecords);
    }

    /** False when its last commit was refused by a rebalance that did not end in time. */
    boolean hasCommitted() {
        return !parts.commits().isToBeMadeAgain();
    }

    void commitSucceeded() {
        world.check.mayLose(-world.plan.maxPollRecords);
    }

    /** A transaction was made under this membership. */
    void noteGroup(ConsumerGroupMetadata group) {
        transactionGeneration = group.generationId();
    }

    /** Whether the transaction that is being written was made under an earlier membership. */
    boolean isBehind() {
        return transactionGeneration != generation;
    }

    /** The engine makes the consumer go on elsewhere. */
    void sought(TopicPartition id, long offset) {
        SimEpoch epoch = epoch(id);
        if (epoch == null) {
            world.check.sought(id, offset);
        } else {
            epoch.rewound(offset);
        }
    }

    boolean isLosing(TopicPartition id) {
        return losing.contains(id);
    }

    /** Whether it is not the same commit made again. */
    boolean isNewCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        boolean news = !offsets.equals(lastCommit);
        lastCommit = offsets;
        return news;
    }

    /** It asks what is committed, as it does before the last commit of a long rebalance, see {@code OvertakenCheck}. */
    void asks() {
        if (askedNanos == NEVER) {
            askedNanos = world.sim.clock().nanoTime();
        }
    }

    /** The answers are not waited for any more: what is committed now is put together now. */
    void asked() {
        askedNanos = NEVER;
    }

    /** When a commit that is sent now was put together, at the earliest. */
    long knownNanos(long nowNanos) {
        return askedNanos == NEVER ? nowNanos : askedNanos;
    }

    /** A poll returned this. One that brings larger records than any before may pass the budget, nobody knew them. */
    void saw(long pollBytes, long largestBytes, long largestOfEachBytes) {
        if (largestBytes > largestRecordBytes) {
            // The very first poll has one chunk of each partition, which may be one record however large.
            boolean isFirst = largestRecordBytes == 0;
            largestRecordBytes = largestBytes;
            unforeseenBytes +=
                    isFirst && world.plan.fetchMaxBytes > world.plan.bufferBytes ? largestOfEachBytes : pollBytes;
        }
    }

    /** What it may hold. */
    long mostBytes() {
        return Math.max(world.plan.bufferBytes + unforeseenBytes, largestRecordBytes); // One passes alone.
    }

    long largestRecordBytes() {
        return largestRecordBytes;
    }

    /** A turn has placed what it polled: before, a record that a poll has returned already is not held yet. */
    void holds(long heldBytes) {
        if (heldBytes <= world.plan.bufferBytes) {
            unforeseenBytes = 0;
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
