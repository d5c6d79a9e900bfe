package dev.laneway.engine.track;

import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetWindow;
import dev.laneway.engine.offsets.Progress;
import dev.laneway.engine.offsets.SpilledKeys;
import java.util.Arrays;
import java.util.Iterator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Which records behind the cursor no handler is at work with. With the track's guard. */
final class UnstartedRecords {
    private static final int FIRST_CAPACITY = 64;

    private long[] offsets = new long[FIRST_CAPACITY];
    private int size;

    private UnstartedRecords() {}

    /** Those that wait behind a record of their key, for a worker or for another attempt. */
    private static OffsetWindow of(LaneTable lanes) {
        UnstartedRecords found = new UnstartedRecords();
        for (Lane lane : lanes) {
            found.look(lane);
        }
        Arrays.sort(found.offsets, 0, found.size);
        OffsetWindow window = new OffsetWindow();
        for (int i = 0; i < found.size; i++) {
            window.add(found.offsets[i]);
        }
        return window;
    }

    /** What may be committed if everything else below the cursor counts as done. */
    static Progress progress(
            TopicPartition id, LaneTable lanes, long cursor, DecodedMetadata.@Nullable Map restored, int limit) {
        return TrackLedger.progress(id, of(lanes), SpilledKeys.NONE, cursor, restored, limit);
    }

    private void look(Lane lane) {
        boolean waits = lane.state == Lane.State.WAITING || (lane.state == Lane.State.READY && lane.result == null);
        if (waits) {
            add(lane.record.offset());
        }
        if (lane.followers != null) {
            Iterator<ConsumerRecord<byte[], byte[]>> followers = lane.followers.iterator();
            for (int i = 0; followers.hasNext(); i++) {
                ConsumerRecord<byte[], byte[]> follower = followers.next();
                if (waits || i >= lane.batchLeft) { // The first ones were in the batch that is being settled.
                    add(follower.offset());
                }
            }
        }
    }

    private void add(long offset) {
        if (size == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * size);
        }
        offsets[size++] = offset;
    }
}
