package dev.laneway.dashboard;

import dev.laneway.Counters;
import dev.laneway.Health;
import dev.laneway.Laneway;
import dev.laneway.PartitionSnapshot;
import dev.laneway.PauseReason;
import dev.laneway.Snapshot;
import dev.laneway.State;
import dev.laneway.Utilisation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** A consumer that says of itself what a test wants. */
final class ScriptedLaneway implements Laneway {
    final List<String> calls = new CopyOnWriteArrayList<>();
    volatile State state = State.RUNNING;
    volatile Health health = new Health(Health.Status.UP, List.of());
    volatile Counters counters = counters(0, 0, 0, 0);
    volatile Utilisation utilisation = new Utilisation(0, 0, 0, 10);
    volatile int running;
    /** Done before a snapshot is given. */
    volatile Runnable hindrance = () -> {};

    volatile long held;
    volatile List<PartitionSnapshot> partitions = List.of(partition(0, 0, 0));

    static Counters counters(long processed, long failed, long rebalances, long deadLettered) {
        return new Counters(
                processed, failed, failed, 0, deadLettered, 0, 0, 0, processed / 10, 0, 0, 0, 0, 0, rebalances, 10);
    }

    /** A partition that has only a position and a lag. */
    static PartitionSnapshot partition(int number, long committable, long lag) {
        return partition(number, committable, lag, 0, 0, null, null);
    }

    static PartitionSnapshot partition(
            int number, long committable, long lag, int lanes, long held, Duration oldest, PauseReason pause) {
        return new PartitionSnapshot(
                new TopicPartition("orders", number),
                1,
                OptionalLong.of(committable),
                committable,
                committable + held,
                OptionalLong.of(lag),
                held,
                100 * held,
                lanes == 0 ? 0 : Math.max(lanes, (int) held),
                lanes,
                pause != null,
                pause == PauseReason.USER,
                oldest == null ? OptionalLong.empty() : OptionalLong.of(committable),
                Optional.ofNullable(oldest),
                Optional.ofNullable(pause),
                0,
                0,
                0);
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public Health health() {
        return health;
    }

    @Override
    public Snapshot snapshot() {
        hindrance.run();
        return new Snapshot(
                state, partitions, counters, utilisation, running, held, 100 * held, 10_000, 10_000_000, Duration.ZERO);
    }

    @Override
    public Set<TopicPartition> assignment() {
        return partitions.stream().map(PartitionSnapshot::partition).collect(Collectors.toSet());
    }

    @Override
    public void pause() {
        calls.add("pause");
        List<PartitionSnapshot> paused = new ArrayList<>();
        for (PartitionSnapshot one : partitions) {
            paused.add(partition(
                    one.partition().partition(),
                    one.committable(),
                    one.lag().orElse(0),
                    0,
                    one.held(),
                    null,
                    PauseReason.USER));
        }
        partitions = paused;
    }

    @Override
    public void pause(Collection<TopicPartition> which) {
        calls.add("pause " + which);
    }

    @Override
    public void resume() {
        calls.add("resume");
    }

    @Override
    public void resume(Collection<TopicPartition> which) {
        calls.add("resume " + which);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean drain(Duration limit) {
        calls.add("drain");
        return true;
    }

    @Override
    public void close() {
        throw new AssertionError("the page closes no consumer");
    }

    @Override
    public void close(Duration limit) {
        close();
    }

    @Override
    public void awaitTermination() {}

    @Override
    public boolean awaitTermination(Duration limit) {
        return false;
    }

    @Override
    public Optional<Throwable> failure() {
        return Optional.empty();
    }
}
