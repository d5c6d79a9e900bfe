package dev.laneway.engine.share;

import dev.laneway.engine.track.Cursor;
import dev.laneway.engine.track.Partition;
import dev.laneway.engine.track.Track;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ShareConsumer;

/**
 * What one poll of a share consumer has acquired of one partition, and which of it has been acknowledged. The owner
 * only; the {@link Track} is what it shares with the workers.
 *
 * <p>The client takes acknowledgements of records that its latest poll has returned, no others. A renewal takes the
 * record away from it until the broker has answered and another poll returns it.
 */
final class AcquiredRecords {
    private enum Place {
        /** The client has it, and takes its acknowledgement. */
        HELD,
        /** Its lock is being renewed. */
        RENEWING,
        /** Acknowledged for good, or lost. */
        OVER
    }

    final Partition partition;
    final Track track;
    /** Whether the broker delivers none of these records again. */
    final boolean last;

    private final List<ConsumerRecord<byte[], byte[]>> records;
    private final Place[] places;
    /** Nothing below this position is held. */
    private int first;

    private int left;
    private int renewing;

    AcquiredRecords(Partition partition, Track track, List<ConsumerRecord<byte[], byte[]>> records, boolean last) {
        this.partition = partition;
        this.track = track;
        this.records = records;
        this.last = last;
        this.places = new Place[records.size()];
        Arrays.fill(places, Place.HELD);
        this.left = records.size();
    }

    /** Whether every record was acknowledged for good or lost. */
    boolean isOver() {
        return left == 0;
    }

    /** Whether every record is done. */
    boolean isDone() {
        return track.ledger.records() == 0;
    }

    /** How many records' locks are being renewed. */
    int renewing() {
        return renewing;
    }

    /** Tells the client of each record that is done; returns how many those were. */
    int acknowledge(ShareConsumer<byte[], byte[]> client) {
        boolean[] done = new boolean[places.length];
        try (var _ = track.guard.enter()) {
            long cursor = Cursor.offset(track.look());
            for (int i = first; i < places.length; i++) {
                done[i] = places[i] == Place.HELD
                        && track.ledger.isDone(records.get(i).offset(), cursor);
            }
        }
        int count = 0;
        for (int i = first; i < places.length; i++) {
            if (done[i]) {
                boolean rejected = track.ledger.isRejected(records.get(i).offset());
                give(client, i, rejected ? AcknowledgeType.REJECT : AcknowledgeType.ACCEPT);
                count++;
            }
        }
        return count;
    }

    /** The offsets of what is neither acknowledged for good nor done. */
    List<Long> undone() {
        List<Long> undone = new ArrayList<>();
        try (var _ = track.guard.enter()) {
            long cursor = Cursor.offset(track.look());
            for (int i = first; i < places.length; i++) {
                long offset = records.get(i).offset();
                if (places[i] != Place.OVER && !track.ledger.isDone(offset, cursor)) {
                    undone.add(offset);
                }
            }
        }
        return undone;
    }

    /** Asks for more time for each record that the client has. */
    void renew(ShareConsumer<byte[], byte[]> client) {
        for (int i = first; i < places.length; i++) {
            if (places[i] == Place.HELD) {
                client.acknowledge(records.get(i), AcknowledgeType.RENEW);
                places[i] = Place.RENEWING;
                renewing++;
            }
        }
    }

    /** Gives back each record that the client has, for another delivery; returns how many. */
    int release(ShareConsumer<byte[], byte[]> client) {
        int count = 0;
        for (int i = first; i < places.length; i++) {
            if (places[i] == Place.HELD) {
                give(client, i, AcknowledgeType.RELEASE);
                count++;
            }
        }
        return count;
    }

    private void give(ShareConsumer<byte[], byte[]> client, int at, AcknowledgeType type) {
        client.acknowledge(records.get(at), type);
        end(at);
    }

    /** A poll has returned a record. False when this is none whose lock was being renewed. */
    boolean returned(long offset) {
        int at = indexOf(offset);
        if (at < 0 || places[at] != Place.RENEWING) {
            return false;
        }
        places[at] = Place.HELD;
        renewing--;
        return true;
    }

    /** Renewals have failed; returns of how many records. */
    int lost(Set<Long> offsets) {
        int count = 0;
        for (long offset : offsets) {
            int at = indexOf(offset);
            if (at >= 0 && places[at] == Place.RENEWING) {
                renewing--;
                end(at);
                count++;
            }
        }
        return count;
    }

    /** No answer to renewals will come any more; returns how many were open. */
    int lostAll() {
        int count = renewing;
        for (int i = first; i < places.length; i++) {
            if (places[i] == Place.RENEWING) {
                renewing--;
                end(i);
            }
        }
        return count;
    }

    private void end(int at) {
        places[at] = Place.OVER;
        left--;
        while (first < places.length && places[first] == Place.OVER) {
            first++;
        }
    }

    private int indexOf(long offset) {
        int low = 0;
        int high = records.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long at = records.get(middle).offset();
            if (at == offset) {
                return middle;
            } else if (at < offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }
}
