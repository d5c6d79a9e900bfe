package dev.laneway.engine.sim;

import dev.laneway.testkit.sim.Faults.Action;
import dev.laneway.testkit.sim.SimOp;
import dev.laneway.testkit.sim.Simulation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;

/**
 * What is around the streams of a simulated run, by its seed: topics, a writer, the group's protocol and what goes
 * wrong with it. Members are {@link SimFeeder}s.
 */
public final class SimGroup {
    /** Told of what the group has committed. */
    public interface Stored {
        /** An offset, and with its map what is done. */
        void stored(TopicPartition id, long offset, LongPredicate isDone);
    }

    final Simulation sim;
    final SplittableRandom random;
    final SimPlan plan;
    private boolean written;

    /** Makes the topics, and writes the first records. */
    public SimGroup(Simulation sim, SplittableRandom random) {
        this.sim = sim;
        this.random = random;
        this.plan = new SimPlan(SimTheme.STREAMS, random.split());
        sim.trace().event("plan", plan);
        plan.topics.forEach(topic -> sim.broker().createTopic(topic, (int)
                plan.partitions.stream().filter(id -> id.topic().equals(topic)).count()));
        sim.faults().latency(Duration.ZERO, Duration.ofNanos(plan.latencyNanos));
        sim.broker().consumerGroupTimes(Duration.ofSeconds(10), Duration.ofSeconds(1));
        int before = random.nextInt(plan.records + 1);
        for (int i = 0; i < before; i++) {
            append(partition());
        }
        sim.scheduler().execute(() -> write(plan.records - before));
    }

    private void write(int left) {
        for (int i = 0; i < left; i++) {
            append(partition());
            if (random.nextInt(4) == 0) {
                sim.pass(Duration.ofNanos(random.nextLong(8 * plan.chaos.toNanos() / plan.records)));
            }
        }
        written = true;
    }

    private void append(TopicPartition id) {
        byte[] key =
                random.nextInt(20) == 0 ? null : ("key" + random.nextInt(plan.keys)).getBytes(StandardCharsets.UTF_8);
        sim.broker().append(id.topic(), id.partition(), key, new byte[random.nextInt(plan.mostValueBytes + 1)]);
    }

    private TopicPartition partition() {
        return plan.partitions.get(random.nextInt(plan.partitions.size()));
    }

    /** Another process; its slot is that of no other living one. */
    public SimFeeder member(String name, int slot, SimFeeder.Watch watch) {
        return new SimFeeder(this, name, slot, watch);
    }

    /** Some runs have each of these faults, others do not. */
    public void begin() {
        perhaps(() -> sim.faults().randomEvictions(SimPlan.GROUP, millis(500, 4_000)));
        perhaps(() -> sim.faults().randomRebalances(SimPlan.GROUP, millis(100, 2_000)));
        perhaps(() -> sim.faults().randomClockJumps(millis(200, 2_000), Duration.ofHours(1)));
        commits(0.2, Action.fail(() -> new CoordinatorLoadInProgressException("simulated")));
        commits(0.1, Action.failAfterwards(() -> new CoordinatorNotAvailableException("simulated")));
        commits(0.1, Action.loseResponse());
        commits(0.1, Action.loseRequest());
        commits(0.05, Action.swallow());
        commits(0.2, Action.delay(millis(10, 3_000)));
    }

    private void perhaps(Runnable fault) {
        if (random.nextInt(3) == 0) {
            fault.run();
        }
    }

    private void commits(double most, Action action) {
        perhaps(() -> sim.faults().randomly(SimOp.COMMIT, random.nextDouble(most), action));
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(random.nextInt(least, most));
    }

    /** Whether the writer has ended; then each partition gets a record, if it has none. */
    public boolean isWritten() {
        if (written) {
            plan.partitions.stream()
                    .filter(id -> sim.broker().endOffset(id) == 0)
                    .forEach(this::append);
        }
        return written;
    }

    /** Tells of each offset that is stored, and of what is done by it. */
    public void onStored(Stored told) {
        sim.broker().onCommitted((group, id, by) -> told.stored(id, by.offset(), SimFeedTap.done(id, by)));
    }

    /** Whether the protocol may leave partitions to nobody until the next rebalance. */
    public boolean mayLeavePartitions() {
        return plan.mayLeavePartitions();
    }

    /** Whether everything is committed. */
    public boolean isCommitted() {
        Map<TopicPartition, OffsetAndMetadata> committed = sim.broker().committed(SimPlan.GROUP);
        return plan.partitions.stream()
                .allMatch(id -> committed.containsKey(id)
                        && committed.get(id).offset() == sim.broker().endOffset(id));
    }

    /** All there are. */
    public List<TopicPartition> partitions() {
        return List.copyOf(plan.partitions);
    }

    /** The topics' names. */
    public List<String> topics() {
        return List.copyOf(plan.topics);
    }

    /** How many members there are, as a rule. */
    public int members() {
        return plan.members;
    }

    /** How many there are at most. */
    public int mostMembers() {
        return plan.theme.members;
    }

    /** How long faults go on. */
    public Duration chaos() {
        return plan.chaos;
    }

    /** The longest that an element takes. */
    public Duration slowest() {
        return Duration.ofNanos(plan.slowestNanos);
    }

    /** How long a member waits for what it has delivered of partitions that it gives up. */
    public Duration drainLimit() {
        return plan.drainLimit;
    }

    /** A member's reserve. */
    public int bufferRecords() {
        return plan.bufferRecords;
    }

    /** A member's reserve. */
    public long bufferBytes() {
        return plan.bufferBytes;
    }
}
