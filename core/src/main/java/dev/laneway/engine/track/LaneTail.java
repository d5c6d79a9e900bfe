package dev.laneway.engine.track;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The tail of a lane, and which one. */
final class LaneTail extends SpilledTail {
    final Lane lane;

    LaneTail(Lane lane, long hash) {
        super(hash);
        this.lane = lane;
    }

    @Override
    Iterable<ConsumerRecord<byte[], byte[]>> followers() {
        return lane.followers == null ? List.of() : lane.followers;
    }
}
