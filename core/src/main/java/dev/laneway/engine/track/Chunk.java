package dev.laneway.engine.track;

import dev.laneway.engine.offsets.DecodedMetadata;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What one poll returned of one partition, in offset order. Its memory is released as a whole, when the cursor has left
 * it; so is what it counts against the budgets, but for records that moved to a lane, which count by themselves from
 * then on. Guarded by the track's guard; the list itself never changes.
 */
public final class Chunk {
    public final List<ConsumerRecord<byte[], byte[]>> records;
    public final int size;
    int recordsLeft;
    public long bytesLeft;
    public final long largestBytes;
    /** Whether the time of one of them had not come when it was polled. */
    final boolean isDelayed;

    /** Records none of which has to wait for its time. */
    public Chunk(List<ConsumerRecord<byte[], byte[]>> records) {
        this(records, false);
    }

    /** @param mayWait whether some of them may have to wait for their time */
    public Chunk(List<ConsumerRecord<byte[], byte[]>> records, boolean mayWait) {
        this.records = records;
        this.size = records.size();
        this.recordsLeft = size;
        long sum = 0;
        long largest = 0;
        boolean delayed = false;
        for (int i = 0; i < size; i++) {
            long bytes = bytes(records.get(i));
            sum += bytes;
            delayed |= mayWait && HeldRecord.notBefore(records.get(i)) != HeldRecord.AT_ONCE;
            largest = Math.max(largest, bytes);
        }
        this.bytesLeft = sum;
        this.largestBytes = largest;
        this.isDelayed = delayed;
    }

    /** Key and value of a record, in bytes. */
    public static long bytes(ConsumerRecord<byte[], byte[]> record) {
        return Math.max(0, record.serializedKeySize()) + (long) Math.max(0, record.serializedValueSize());
    }

    /** The records that an earlier owner has not done. */
    public Chunk without(DecodedMetadata.Map done) {
        if (records.getFirst().offset() >= done.cursor()) {
            return this;
        }
        List<ConsumerRecord<byte[], byte[]>> undone = new ArrayList<>(size);
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (record.offset() >= done.cursor() || !done.isDone(record.offset())) {
                undone.add(record);
            }
        }
        return new Chunk(undone, isDelayed);
    }

    /**
     * A chunk of some of its records, none where there are none. A copy: a part of the list would keep all of its
     * records in memory.
     */
    List<Chunk> part(int from, int to) {
        return from == to ? List.of() : List.of(new Chunk(List.copyOf(records.subList(from, to)), isDelayed));
    }

    /** The position of the record with this offset, which must be in the chunk. Offsets may have gaps. */
    int indexOf(long offset) {
        int guess = (int) Math.min(size - 1L, offset - records.getFirst().offset());
        if (records.get(guess).offset() == offset) {
            return guess;
        }
        int low = 0;
        int high = guess;
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
        throw new IllegalStateException("offset " + offset + " is not in the chunk from "
                + records.getFirst().offset());
    }
}
