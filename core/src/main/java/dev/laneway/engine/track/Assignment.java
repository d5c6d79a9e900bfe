package dev.laneway.engine.track;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that this member has now; of a share group, what it holds records of, and that may be several times
 * the same partition. The owner only, but for {@link #all} and {@link #ids}.
 */
public final class Assignment {
    private final Map<TopicPartition, Partition> byId = new HashMap<>();
    private volatile List<Partition> all = List.of();
    private Set<TopicPartition> starting = Set.of();
    private volatile Set<TopicPartition> ids = Set.of();
    private long changes;

    public @Nullable Partition get(TopicPartition id) {
        return byId.get(id);
    }

    /** All of them, in the order of their assignment; any thread. */
    public List<Partition> all() {
        return all;
    }

    /** How often {@link #all} may have changed. */
    long changes() {
        return changes;
    }

    /** Their names, and those of partitions that are starting; any thread. */
    public Set<TopicPartition> ids() {
        return ids;
    }

    /** Those of the given partitions that are assigned. */
    public List<Partition> of(Collection<TopicPartition> some) {
        List<Partition> found = new ArrayList<>(some.size());
        for (TopicPartition id : some) {
            Partition partition = byId.get(id);
            if (partition != null) {
                found.add(partition);
            }
        }
        return found;
    }

    /** Adds these, which start no more. */
    public void add(Collection<Partition> more) {
        List<Partition> with = new ArrayList<>(all);
        starting = starting.stream()
                .filter(id -> more.stream().noneMatch(partition -> partition.id.equals(id)))
                .collect(Collectors.toUnmodifiableSet());
        for (Partition partition : more) {
            Partition replaced = byId.put(partition.id, partition);
            if (replaced != null) {
                with.remove(replaced);
            }
        }
        with.addAll(more);
        changed(with);
    }

    /** Adds what may be of partitions that are there already. */
    public void addBeside(Collection<Partition> more) {
        List<Partition> with = new ArrayList<>(all);
        with.addAll(more);
        changed(with);
    }

    public void remove(Collection<Partition> gone) {
        gone.forEach(partition -> byId.remove(partition.id, partition));
        List<Partition> without = new ArrayList<>(all);
        without.removeAll(gone);
        changed(without);
    }

    /** Those that workers serve. */
    public List<Track> tracks() {
        return all.stream()
                .map(partition -> partition.held)
                .filter(Track.class::isInstance)
                .map(Track.class::cast)
                .toList();
    }

    /**
     * These are this member's, too, but not among {@link #all} before they are added: where they start is being found.
     */
    public void awaits(Set<TopicPartition> ids) {
        starting = Set.copyOf(ids);
        changed(all);
    }

    private void changed(List<Partition> now) {
        changes++;
        all = List.copyOf(now);
        ids = Stream.concat(now.stream().map(partition -> partition.id), starting.stream())
                .collect(Collectors.toUnmodifiableSet());
    }
}
