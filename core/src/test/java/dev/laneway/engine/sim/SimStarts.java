package dev.laneway.engine.sim;

import dev.laneway.StartPosition;
import dev.laneway.testkit.sim.SimBroker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Where the partitions of a simulated group may start: the start position counts where the group has committed nothing,
 * what is committed first is that start, and nothing is read before it. A partition that was added to a topic that the
 * group had begun starts at its beginning.
 */
final class SimStarts {
    private static final int MOST_BEFORE = 50;

    private final SimWorld world;
    private final SimBroker broker;
    private final SplittableRandom random;
    private StartPosition position = StartPosition.committed();
    /** When each topic got its first committed offset. */
    private final Map<String, Long> begunNanos = new HashMap<>();

    private final Map<TopicPartition, Long> createdNanos = new HashMap<>();
    /** The end of each log before anybody could look for it. */
    private final Map<TopicPartition, Long> leastEnds = new HashMap<>();
    /** What the group began with; as long as there is nothing, no record may be read. */
    private final Map<TopicPartition, Long> first = new HashMap<>();
    /** Whether questions may have no answer for a while. */
    private boolean disturbed;

    SimStarts(SimWorld world) {
        this.world = world;
        this.broker = world.sim.broker();
        this.random = world.random.split();
    }

    StartPosition position() {
        return position;
    }

    /** Before the first member: draws the position, and what the group has committed already. */
    void begin() {
        world.partitions.forEach(this::exists);
        position = switch (world.plan.start) {
            case COMMITTED -> StartPosition.committed();
            case EARLIEST -> StartPosition.earliest();
            case LATEST -> StartPosition.latest();
            case OFFSETS -> StartPosition.offsets(offsets());
            case TIMESTAMP ->
                StartPosition.timestamp(Instant.ofEpochMilli(
                        world.sim.clock().millis() + random.nextLong(-1_000, world.plan.chaos.toMillis())));
        };
        int committed = random.nextInt(4);
        for (TopicPartition id : world.partitions) {
            boolean all = committed == 0 || (committed == 1 && id.partition() == 0);
            boolean needed = world.plan.reset.equals("none") && !isOverridden(id);
            if (needed || all || (committed == 2 && random.nextBoolean())) {
                set(id);
            }
        }
    }

    private Map<TopicPartition, Long> offsets() {
        Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
        for (TopicPartition id : world.partitions) {
            if (random.nextInt(4) > 0) {
                offsets.put(id, within(id));
            }
        }
        return offsets;
    }

    private long within(TopicPartition id) {
        long start = broker.startOffset(id);
        return start + random.nextLong(broker.endOffset(id) - start + 1);
    }

    /** A partition is there now. */
    void exists(TopicPartition id) {
        createdNanos.put(id, now());
        leastEnds.put(id, broker.endOffset(id));
    }

    /** Some records before the group is told where to start. */
    int recordsBefore() {
        return random.nextInt(MOST_BEFORE);
    }

    /** An administrator sets the offset of a partition, while the group has no members. */
    void set(TopicPartition id) {
        long offset = within(id);
        broker.alterOffsets(SimPlan.GROUP, Map.of(id, new OffsetAndMetadata(offset)));
        world.check.resets(id, offset);
        first.put(id, offset);
        begunNanos.putIfAbsent(id.topic(), now() - 1); // Not by a member that looks at the same instant.
    }

    /**
     * For a group that starts nowhere by itself: what was added gets an offset. False as long as dead members keep an
     * administrator from it: what they have sent may arrive as long as the group believes in them.
     */
    boolean setWhatIsMissing() {
        List<TopicPartition> missing = new ArrayList<>(world.partitions);
        missing.removeAll(broker.committed(SimPlan.GROUP).keySet());
        missing.removeIf(this::isOverridden);
        if (!missing.isEmpty() && !maySet()) {
            return false;
        }
        missing.forEach(this::set);
        return true;
    }

    /** Whether the broker takes offsets from an administrator. */
    boolean maySet() {
        return broker.members(SimPlan.GROUP).isEmpty();
    }

    /** Whether a member may stop since it does not know where to start. */
    boolean lacksStart() {
        return world.plan.reset.equals("none")
                && world.partitions.stream()
                        .anyMatch(id -> !isOverridden(id)
                                && !broker.committed(SimPlan.GROUP).containsKey(id));
    }

    void disturb() {
        disturbed = true;
    }

    /** An explanation if a record may not be read yet, or never. */
    @Nullable
    String mayBegin(TopicPartition id, long offset) {
        Long start = first.get(id);
        if (start == null) {
            return isOverridden(id) ? "B98 its start is not committed" : null;
        }
        return offset < start ? "B98 the group started at " + start : null;
    }

    boolean isOverridden(TopicPartition id) {
        return switch (position) {
            case StartPosition.Committed _ -> false;
            case StartPosition.Offsets(var offsets) -> offsets.containsKey(id);
            case StartPosition.Earliest _, StartPosition.Latest _, StartPosition.Timestamp _ -> true;
        };
    }

    /** The broker stores an offset; an explanation if the group may not begin there. */
    @Nullable
    String stored(TopicPartition id, long offset) {
        Long begun = begunNanos.putIfAbsent(id.topic(), now());
        if (first.putIfAbsent(id, offset) != null) {
            return null;
        }
        if (!isOverridden(id)) {
            first.put(id, world.plan.reset.equals("earliest") ? 0 : offset);
            world.check.startsAt(id, first.get(id));
            return world.plan.reset.equals("none") ? "B98 it starts although nobody says where" : null;
        }
        world.check.startsAt(id, offset);
        return switch (position) {
            case StartPosition.Committed _ -> null;
            case StartPosition.Earliest _ -> beginning(id, offset);
            case StartPosition.Offsets(var offsets) ->
                offset == offsets.get(id) ? null : "B98 it was to start at " + offsets.get(id);
            case StartPosition.Latest _ -> skipping(id, offset, begun);
            case StartPosition.Timestamp _ -> skipping(id, offset, begun);
        };
    }

    /** @param begun when the group began the topic; null if that is now */
    private @Nullable String skipping(TopicPartition id, long offset, @Nullable Long begun) {
        if (begun == null || begun == now()) {
            return positioned(id, offset);
        }
        if (createdNanos.get(id) > begun) {
            return beginning(id, offset);
        }
        // It was there: only what could not be found in time is left out when a topic is begun.
        return positioned(id, offset) == null || (disturbed && beginning(id, offset) == null)
                ? null
                : "B98 it was there when the group began its topic";
    }

    private @Nullable String beginning(TopicPartition id, long offset) {
        long start = broker.startOffset(id);
        return offset == start ? null : "B98 it begins at " + start;
    }

    private @Nullable String positioned(TopicPartition id, long offset) {
        if (position instanceof StartPosition.Timestamp(var timestamp)) {
            for (ConsumerRecord<byte[], byte[]> record : broker.records(id)) {
                boolean wanted = record.timestamp() >= timestamp.toEpochMilli();
                if (wanted && record.offset() < offset) {
                    return "B103 a record of that time is before it: " + record.offset();
                }
                if (!wanted && record.offset() >= offset && offset < leastEnds.get(id)) {
                    return "B98 a record before that time is behind it: " + record.offset();
                }
            }
            return null;
        }
        return offset >= leastEnds.get(id) ? null : "B98 the log did not end before " + leastEnds.get(id);
    }

    private long now() {
        return world.sim.clock().nanoTime();
    }
}
