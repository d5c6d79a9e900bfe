package dev.laneway.testkit.sim;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What a consumer has subscribed to, what it is assigned, and its position in each partition. */
final class SimSubscription {
    private static final long NO_POSITION = -1;

    private Kind kind = Kind.NONE;
    private Set<String> topics = new TreeSet<>();
    private @Nullable Predicate<String> pattern;
    private @Nullable ConsumerRebalanceListener listener;
    private Map<TopicPartition, State> assigned = new LinkedHashMap<>();

    private enum Kind {
        NONE,
        TOPICS,
        PATTERN,
        ASSIGNED
    }

    /**
     * One assigned partition. {@code reset} is what to look up when there is no position, null for the committed
     * offset.
     */
    static final class State {
        private long position = NO_POSITION;
        private Optional<Integer> lastEpoch = Optional.empty();
        private SimConsumerConfig.@Nullable Reset reset;
        private boolean paused;
        /** Where the log ended at the latest fetch; {@link #NO_POSITION} before the first. */
        private long end = NO_POSITION;
        /** Being given up, or the listener has not heard of it yet: nothing is fetched and nothing is returned. */
        private boolean held;

        boolean hasPosition() {
            return position != NO_POSITION;
        }

        long position() {
            return position;
        }

        /** The epoch of what was read last, -1 when it is not known. */
        int lastEpoch() {
            return lastEpoch.orElse(-1);
        }

        boolean isPaused() {
            return paused;
        }

        boolean isFetchable() {
            return hasPosition() && !paused && !held;
        }

        SimConsumerConfig.@Nullable Reset reset() {
            return reset;
        }

        OptionalLong lag() {
            return hasPosition() && end != NO_POSITION
                    ? OptionalLong.of(Math.max(0, end - position))
                    : OptionalLong.empty();
        }

        void endsAt(long offset) {
            end = offset;
        }

        void seek(long offset, Optional<Integer> epoch) {
            position = offset;
            lastEpoch = epoch;
            reset = null;
        }

        void requestReset(SimConsumerConfig.Reset to) {
            position = NO_POSITION;
            reset = to;
        }

        void advance(long offset, Optional<Integer> epoch) {
            position = offset;
            lastEpoch = epoch;
        }
    }

    void subscribe(Collection<String> names, @Nullable ConsumerRebalanceListener callback) {
        become(Kind.TOPICS);
        topics = new TreeSet<>(names);
        listener = callback;
    }

    void subscribe(Predicate<String> matches, @Nullable ConsumerRebalanceListener callback) {
        become(Kind.PATTERN);
        pattern = matches;
        listener = callback;
    }

    void assign(Collection<TopicPartition> partitions) {
        become(Kind.ASSIGNED);
        replace(partitions);
    }

    private void become(Kind wanted) {
        if (kind != Kind.NONE && kind != wanted) {
            throw new IllegalStateException("Subscription to topics, partitions and pattern are mutually exclusive");
        }
        kind = wanted;
    }

    void clear() {
        kind = Kind.NONE;
        topics = new TreeSet<>();
        pattern = null;
        assigned = new LinkedHashMap<>();
    }

    /**
     * Replaces the assignment. Partitions that stay keep their position and their pause, others start without a
     * position.
     */
    void replace(Collection<TopicPartition> partitions) {
        Map<TopicPartition, State> next = new LinkedHashMap<>();
        for (TopicPartition partition : partitions) {
            State state = assigned.get(partition);
            next.put(partition, state == null ? new State() : state);
        }
        assigned = next;
    }

    /** Resolves a pattern against the topics that exist. */
    void refresh(Collection<String> existing) {
        Predicate<String> matches = pattern;
        if (kind == Kind.PATTERN && matches != null) {
            topics = new TreeSet<>(existing.stream().filter(matches).toList());
        }
    }

    boolean isEmpty() {
        return kind == Kind.NONE;
    }

    boolean isGroupManaged() {
        return kind == Kind.TOPICS || kind == Kind.PATTERN;
    }

    Set<String> topics() {
        return isGroupManaged() ? topics : Set.of();
    }

    @Nullable
    ConsumerRebalanceListener listener() {
        return listener;
    }

    Set<TopicPartition> partitions() {
        return assigned.keySet();
    }

    @Nullable
    State find(TopicPartition partition) {
        return assigned.get(partition);
    }

    State get(TopicPartition partition) {
        State state = assigned.get(partition);
        if (state == null) {
            throw new IllegalStateException("No current assignment for partition " + partition);
        }
        return state;
    }

    void pause(TopicPartition partition, boolean paused) {
        get(partition).paused = paused;
    }

    Set<TopicPartition> paused() {
        Set<TopicPartition> paused = new LinkedHashSet<>();
        assigned.forEach((partition, state) -> {
            if (state.paused) {
                paused.add(partition);
            }
        });
        return paused;
    }

    void hold(Collection<TopicPartition> partitions, boolean held) {
        for (TopicPartition partition : partitions) {
            State state = assigned.get(partition);
            if (state != null) {
                state.held = held;
            }
        }
    }

    boolean isFetchable(TopicPartition partition) {
        State state = assigned.get(partition);
        return state != null && state.isFetchable() && (kind != Kind.TOPICS || topics.contains(partition.topic()));
    }

    /** Partitions with neither a position nor a reset under way. */
    List<TopicPartition> initializing() {
        return those(state -> !state.hasPosition() && state.reset == null);
    }

    List<TopicPartition> awaitingReset() {
        return those(state -> !state.hasPosition() && state.reset != null);
    }

    private List<TopicPartition> those(Predicate<State> condition) {
        List<TopicPartition> result = new ArrayList<>();
        assigned.forEach((partition, state) -> {
            if (condition.test(state)) {
                result.add(partition);
            }
        });
        return result;
    }

    /** The next partition to be asked for is the one that has been served least recently. */
    void moveToEnd(TopicPartition partition) {
        State state = assigned.remove(partition);
        if (state != null) {
            assigned.put(partition, state);
        }
    }

    /** All positions, as a commit without arguments writes them. */
    Map<TopicPartition, OffsetAndMetadata> allConsumed() {
        Map<TopicPartition, OffsetAndMetadata> consumed = new LinkedHashMap<>();
        assigned.forEach((partition, state) -> {
            if (state.hasPosition()) {
                consumed.put(partition, new OffsetAndMetadata(state.position, state.lastEpoch, ""));
            }
        });
        return consumed;
    }
}
