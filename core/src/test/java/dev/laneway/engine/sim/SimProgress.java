package dev.laneway.engine.sim;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * While one partition is in trouble all others must get on, and be committed: looked at all the time, since what stands
 * still for a while and is done in the end is a fault, too.
 */
final class SimProgress {
    private static final Duration STEP = Duration.ofMillis(100);
    /**
     * Longer than a drain limit and a rebalance take together, shorter than the time that anybody waits for a broker.
     */
    private static final Duration MOST = Duration.ofSeconds(8);
    /**
     * Where few partitions may fetch at a time for want of bytes, each waits for its turn, and chance says when that
     * is.
     */
    private static final Duration TURN = Duration.ofSeconds(1);

    private final SimWorld world;
    private final Set<TopicPartition> troubled = new HashSet<>();
    /** When the latest record of each partition began, or its committed offset moved, or nothing was left to do. */
    private final Map<TopicPartition, Long> movedNanos = new HashMap<>();

    private final Map<TopicPartition, Long> committed = new HashMap<>();

    SimProgress(SimWorld world) {
        this.world = world;
    }

    void begin() {
        look();
        world.sim.clock().schedule(STEP, this::begin);
    }

    void trouble(TopicPartition id) {
        troubled.add(id);
    }

    void isOver(TopicPartition id) {
        troubled.remove(id);
        moved(id);
    }

    void moved(TopicPartition id) {
        movedNanos.put(id, world.sim.clock().nanoTime());
    }

    private void look() {
        long now = world.sim.clock().nanoTime();
        Duration most = world.plan.isShortOfBytes() ? MOST.plus(TURN.multipliedBy(world.partitions.size())) : MOST;
        Map<TopicPartition, OffsetAndMetadata> offsets = world.sim.broker().committed(SimPlan.GROUP);
        for (TopicPartition id : world.partitions) {
            OffsetAndMetadata offset = offsets.get(id);
            long at = offset == null ? 0 : offset.offset();
            Long before = committed.put(id, at);
            long end = world.sim.broker().endOffset(id);
            // Of fewer records than partitions, the client hands out what it has fetched of one partition before
            // others.
            boolean inTurn = world.plan.bufferRecords < world.partitions.size();
            boolean idle = inTurn || at >= end || world.logs.mayBeTakenForAFormerOne(id, end - 1);
            if (troubled.contains(id) || idle || before == null || at != before) {
                movedNanos.put(id, now);
            } else if (now - movedNanos.getOrDefault(id, now) > most.toNanos()) {
                world.check.breach("B104 " + id + " has stood still for " + most + " at " + at + ", its log ends at "
                        + end + "; in trouble are only " + troubled);
            }
        }
    }
}
