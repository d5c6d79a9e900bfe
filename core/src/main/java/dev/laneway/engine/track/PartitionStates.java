package dev.laneway.engine.track;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What one class keeps of each partition for as long as it is assigned. Assignments are told apart, also those of the
 * same partition. The owner only, but for {@link #peek}.
 *
 * @param <S> what is kept of one partition
 */
public final class PartitionStates<S> {
    private final Assignment assignment;
    private final Function<Partition, S> initial;
    private final Map<Partition, S> states = new ConcurrentHashMap<>();
    /** {@link Assignment#changes} when those that had left were forgotten. */
    private long seenChanges;
    /** Those of the assigned partitions; null until somebody asks. */
    private @Nullable List<S> inOrder;

    /** @param initial makes what is kept of a partition that is new */
    public PartitionStates(Assignment assignment, Function<Partition, S> initial) {
        this.assignment = assignment;
        this.initial = initial;
    }

    /** One for each assigned partition, in the order of {@link Assignment#all}. Costs nothing until that changes. */
    public List<S> all() {
        forgetThoseThatLeft();
        List<S> all = inOrder;
        if (all == null) {
            all = assignment.all().stream().map(this::get).toList();
            inOrder = all;
        }
        return all;
    }

    /** That of one partition. One that is not assigned has one until the assignment changes. */
    public S of(Partition partition) {
        forgetThoseThatLeft();
        return get(partition);
    }

    /** What is kept of one partition already; null for one that is new. Any thread. */
    public @Nullable S peek(Partition partition) {
        return states.get(partition);
    }

    private S get(Partition partition) {
        return states.computeIfAbsent(partition, initial);
    }

    /** To be called now and then by whoever asks for nothing for long. */
    public void forgetThoseThatLeft() {
        if (assignment.changes() != seenChanges) {
            seenChanges = assignment.changes();
            states.keySet().retainAll(Set.copyOf(assignment.all()));
            inOrder = null;
        }
    }
}
