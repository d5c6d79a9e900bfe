package dev.laneway.stream;

import dev.laneway.engine.handle.AckHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Offsets that are acknowledged or committed together, of any partitions. Immutable. */
public final class OffsetBatch implements Acknowledgeable {
    private static final OffsetBatch EMPTY = new OffsetBatch(List.of());

    private final List<Offset> offsets;

    private OffsetBatch(List<Offset> offsets) {
        this.offsets = offsets;
    }

    /** No offset: committing it commits nothing. */
    public static OffsetBatch empty() {
        return EMPTY;
    }

    /** These offsets, in any order. */
    public static OffsetBatch of(Collection<Offset> offsets) {
        return new OffsetBatch(List.copyOf(offsets));
    }

    /** These and one more. For many offsets, collect them in a list and call {@link #of} once. */
    public OffsetBatch with(Offset offset) {
        List<Offset> more = new ArrayList<>(offsets);
        more.add(offset);
        return of(more);
    }

    /** The offsets, in the order in which they were added. */
    public List<Offset> offsets() {
        return offsets;
    }

    /** The number of offsets. */
    public int size() {
        return offsets.size();
    }

    /** The highest offset of each partition. */
    public Map<TopicPartition, Long> highest() {
        Map<TopicPartition, Long> highest = new HashMap<>();
        offsets.forEach(offset -> highest.merge(offset.partition(), offset.offset(), Math::max));
        return Map.copyOf(highest);
    }

    @Override
    public void acknowledge() {
        offsets.forEach(Offset::acknowledge);
    }

    @Override
    public void acknowledgeUpTo() {
        // One call per assignment is enough: the highest offset covers the others.
        Map<AckHandle, Offset> highest = new LinkedHashMap<>();
        for (Offset offset : offsets) {
            highest.merge(offset.delivered(), offset, (a, b) -> a.offset() >= b.offset() ? a : b);
        }
        highest.values().forEach(Offset::acknowledgeUpTo);
    }

    @Override
    public CompletionStage<@Nullable Void> commit() {
        acknowledge();
        return commitAcknowledged();
    }

    /** Requests the commit of what has been acknowledged, once per assignment. */
    CompletionStage<@Nullable Void> commitAcknowledged() {
        Set<AckHandle> assignments = new LinkedHashSet<>();
        offsets.forEach(offset -> assignments.add(offset.delivered()));
        return CompletableFuture.allOf(assignments.stream()
                .map(assignment -> assignment.commit().toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public String toString() {
        return offsets.size() + " offsets up to " + highest();
    }
}
