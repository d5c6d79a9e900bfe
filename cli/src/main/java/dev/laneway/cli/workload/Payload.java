package dev.laneway.cli.workload;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The content of a loaded record, by which a reader can tell what is lost, duplicated or out of order: its value starts
 * with its number in the load, its key's number, and its number among the records of its key; dots fill the rest. Its
 * key is the key's number in decimal. Immutable.
 *
 * @param index the record's number in the load, from 0
 * @param key the key's number, from 0
 * @param sequence the record's number among those of its key, from 0
 */
public record Payload(long index, int key, int sequence) {
    /** The smallest size of a value. */
    public static final int LEAST_BYTES = Long.BYTES + 2 * Integer.BYTES;

    private static final byte FILLER = '.';

    /** The record's key. */
    public static byte[] keyBytes(int key) {
        return Integer.toString(key).getBytes(StandardCharsets.US_ASCII);
    }

    /** The record's value, of so many bytes. */
    public byte[] valueBytes(int size) {
        ByteBuffer value = ByteBuffer.allocate(size).putLong(index).putInt(key).putInt(sequence);
        while (value.hasRemaining()) {
            value.put(FILLER);
        }
        return value.array();
    }

    /** Reads a value. */
    public static Payload of(byte[] value) {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        return new Payload(bytes.getLong(), bytes.getInt(), bytes.getInt());
    }
}
