package dev.laneway.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The partitions that this member has now. The owner only, but for {@link #ids}. */
final class Assignment {
    private final Map<TopicPartition, Partition> byId = new LinkedHashMap<>();
    private List<Partition> all = List.of();
    private volatile Set<TopicPartition> ids = Set.of();

    @Nullable
    Partition get(TopicPartition id) {
        return byId.get(id);
    }

    /** All of them, in the order of their assignment. */
    List<Partition> all() {
        return all;
    }

    /** Their names; any thread. */
    Set<TopicPartition> ids() {
        return ids;
    }

    /** Those of the given partitions that are assigned. */
    List<Partition> of(Collection<TopicPartition> some) {
        List<Partition> found = new ArrayList<>(some.size());
        for (TopicPartition id : some) {
            Partition partition = byId.get(id);
            if (partition != null) {
                found.add(partition);
            }
        }
        return found;
    }

    void add(Collection<Partition> more) {
        more.forEach(partition -> byId.put(partition.id, partition));
        changed();
    }

    void remove(Collection<Partition> gone) {
        gone.forEach(partition -> byId.remove(partition.id, partition));
        changed();
    }

    /** Those that workers serve. */
    List<Track> tracks() {
        return all.stream()
                .map(partition -> partition.held)
                .filter(Track.class::isInstance)
                .map(Track.class::cast)
                .toList();
    }

    private void changed() {
        all = List.copyOf(byId.values());
        ids = Set.copyOf(byId.keySet());
    }
}
