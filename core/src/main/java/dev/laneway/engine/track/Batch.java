package dev.laneway.engine.track;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Records that are handled by one call, and the lane of each. A lane that has several records in a batch has them in
 * its order. Filled under the track's guard, then confined to its worker.
 */
public final class Batch implements Work {
    final Track track;
    private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    private final List<Lane> lanes = new ArrayList<>();

    private Batch(Track track) {
        this.track = track;
    }

    /** Records from the cursor on; null where none may start. */
    static @Nullable Batch of(Track track, int most, boolean oneLane, Thread by) {
        Batch batch = new Batch(track);
        batch.fill(most, oneLane, by);
        track.free();
        return batch.size() == 0 ? null : batch;
    }

    /** Those of a lane, and more from the cursor on. */
    static Batch of(Lane lane, int most, boolean oneLane, Thread by) {
        Track track = lane.track;
        Batch batch = new Batch(track);
        batch.add(lane, lane.record);
        while (batch.size() < most && lane.hasFollower() && track.lanes.delays.isDue(lane.firstFollower())) {
            batch.add(lane, lane.nextFollower());
        }
        if (track.lanes.gate.isOpen()) {
            batch.fill(most, oneLane, by);
            track.free();
        }
        return batch;
    }

    void add(Lane lane, ConsumerRecord<byte[], byte[]> record) {
        lane.batch = this;
        records.add(record);
        lanes.add(lane);
    }

    /** Adds records from the cursor on until the batch is full; those of a lane that it has already join that. */
    private void fill(int most, boolean oneLane, Thread by) {
        ChunkQueue chunks = track.chunks;
        for (Chunk chunk = chunks.head(); chunk != null && size() < most; chunk = chunks.head()) {
            ConsumerRecord<byte[], byte[]> record = chunks.record();
            if (!track.spilled.mayPass(record.offset())) {
                return;
            }
            Lane own = oneLane ? firstLane() : laneOf(record);
            if (track.wasDone(record.offset())) {
                chunks.step();
            } else if (own != null && track.lanes.delays.isDue(record)) {
                track.ledger.left(chunk, record);
                add(own, record);
                chunks.step();
            } else if (track.lanes.join(chunk, record)) {
                chunks.step();
            } else if (!track.lanes.delays.isDue(record)) {
                if (own != null || !track.lanes.waitInLane(track, chunk, record)) {
                    return;
                }
            } else {
                add(track.leavePath(by), record);
            }
        }
    }

    int size() {
        return records.size();
    }

    public List<ConsumerRecord<byte[], byte[]>> records() {
        return records;
    }

    public Lane lane(int at) {
        return lanes.get(at);
    }

    /** Whether the engine has interrupted the call that handles this batch. */
    public boolean isInterrupted() {
        try (var _ = track.guard.enter()) {
            for (Lane lane : lanes) {
                if (lane.interrupted) {
                    return true;
                }
            }
            return false;
        }
    }

    @Nullable
    Lane firstLane() {
        return lanes.isEmpty() ? null : lanes.getFirst();
    }

    /** The lane of this batch that the record belongs to; null when its key is new to it. */
    @Nullable
    Lane laneOf(ConsumerRecord<byte[], byte[]> record) {
        Lane lane = track.lanes.table().find(record);
        return lane != null && lane.batch == this && !lane.hasFollower() && lane.tail == null ? lane : null;
    }
}
