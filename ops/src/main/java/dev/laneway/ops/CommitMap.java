package dev.laneway.ops;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.TopicPartition;

/**
 * What a commit names as done: every offset below {@code offset}, and these runs beyond it. Decoded independently of
 * the engine, so that the engine does not check itself. Immutable.
 *
 * @param offset the committed offset
 * @param done ascending, not touching each other
 */
public record CommitMap(long offset, List<Run> done) {
    private static final char MAGIC = '\u4C57';
    private static final char ZERO = '\u0800';
    private static final int BITS = 15;
    private static final int HEADER = 4;

    /** Copies the runs. */
    public CommitMap {
        done = List.copyOf(done);
    }

    /** Offsets from the first, included, to the last, not included. */
    public record Run(long from, long to) {}

    /** The offset after the last one that is named done. */
    public long reach() {
        return done.isEmpty() ? offset : done.getLast().to();
    }

    /** Whether the commit says that the record at this offset is done. */
    public boolean names(long candidate) {
        return candidate < offset || done.stream().anyMatch(run -> run.from() <= candidate && candidate < run.to());
    }

    /**
     * Reads metadata.
     *
     * @throws IllegalArgumentException when it is no map that was written for this offset of this partition
     */
    public static CommitMap read(TopicPartition id, long offset, String metadata) {
        if (metadata.isEmpty()) {
            return new CommitMap(offset, List.of());
        }
        if (metadata.length() <= HEADER || metadata.charAt(0) != MAGIC) {
            throw new IllegalArgumentException("it does not begin like a map");
        }
        if (((bits(metadata, 2) << BITS) | bits(metadata, 3)) != checksum(id, offset, metadata)) {
            throw new IllegalArgumentException("its checksum is wrong");
        }
        return switch (bits(metadata, 1)) {
            case 1, 3 -> runs(offset, metadata);
            case 2, 4 -> bitmap(offset, metadata);
            default -> throw new IllegalArgumentException("its kind is unknown");
        };
    }

    private static int bits(String metadata, int index) {
        return metadata.charAt(index) - ZERO;
    }

    private static boolean isSet(String metadata, long position) {
        int index = HEADER + Math.toIntExact(position / BITS);
        return ((bits(metadata, index) >>> (BITS - 1 - position % BITS)) & 1) != 0;
    }

    private static long end(String metadata) {
        return (long) (metadata.length() - HEADER) * BITS;
    }

    /** Lengths of undone and done runs in turn, each in the Elias gamma code. */
    private static CommitMap runs(long offset, String metadata) {
        List<Run> done = new ArrayList<>();
        long at = offset;
        long position = 0;
        boolean isDone = false;
        while (true) {
            int zeros = 0;
            while (position < end(metadata) && !isSet(metadata, position)) {
                zeros++;
                position++;
            }
            if (position == end(metadata)) {
                return new CommitMap(offset, done); // Padding.
            }
            long length = 0;
            for (int i = 0; i <= zeros; i++) {
                length = (length << 1) | (isSet(metadata, position++) ? 1 : 0);
            }
            if (isDone) {
                done.add(new Run(at, at + length));
            }
            at += length;
            isDone = !isDone;
        }
    }

    /** A bit for each offset, set where it is done. */
    private static CommitMap bitmap(long offset, String metadata) {
        List<Run> done = new ArrayList<>();
        long from = -1;
        for (long position = 0; position < end(metadata); position++) {
            boolean isDone = isSet(metadata, position);
            if (isDone && from < 0) {
                from = position;
            } else if (!isDone && from >= 0) {
                done.add(new Run(offset + from, offset + position));
                from = -1;
            }
        }
        if (from >= 0) {
            done.add(new Run(offset + from, offset + end(metadata)));
        }
        return new CommitMap(offset, done);
    }

    /**
     * 30 bits of CRC-32C over the offset, the length, all characters but those that hold the checksum, and whose map it
     * is, which the kinds 1 and 2 of earlier builds do not say.
     */
    private static int checksum(TopicPartition id, long offset, String metadata) {
        String topic = bits(metadata, 1) < 3 ? "" : id.topic();
        String text = metadata.substring(0, 2) + metadata.substring(HEADER);
        ByteBuffer bytes = ByteBuffer.allocate(
                Long.BYTES + 2 * Integer.BYTES + Character.BYTES * (text.length() + topic.length()));
        bytes.putLong(offset).putInt(metadata.length());
        text.chars().forEach(c -> bytes.putChar((char) c));
        if (!topic.isEmpty()) {
            bytes.putInt(id.partition());
            topic.chars().forEach(c -> bytes.putChar((char) c));
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.flip());
        return (int) crc.getValue() & ((1 << (2 * BITS)) - 1);
    }
}
