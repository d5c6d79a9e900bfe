package dev.laneway.ops;

import java.nio.ByteBuffer;
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

    /** Before the binary digits of a length: a Long holds no more. */
    private static final int MOST_ZEROS = 62;

    /** Copies the runs. */
    public CommitMap {
        done = List.copyOf(done);
    }

    /** Offsets from the first, included, to the last, not included. */
    public record Run(long from, long to) {
        /** How many offsets these are. */
        public long length() {
            return to - from;
        }
    }

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
        if (!isLike(metadata)) {
            throw new IllegalArgumentException("it does not begin like a map");
        }
        if (metadata.length() <= HEADER || !metadata.chars().allMatch(c -> c >= ZERO && c < ZERO + (1 << BITS))) {
            throw new IllegalArgumentException("it begins like a map, and was cut or mixed with other text");
        }
        if (((bits(metadata, 2) << BITS) | bits(metadata, 3)) != checksum(id, offset, metadata)) {
            throw new IllegalArgumentException(
                    "its checksum is wrong: it is damaged, or was written for another offset or partition");
        }
        return switch (bits(metadata, 1)) {
            case 1, 3 -> new CommitMap(offset, runs(offset, metadata));
            case 2, 4 -> new CommitMap(offset, bitmap(offset, metadata));
            default ->
                throw new IllegalArgumentException(
                        "its kind " + bits(metadata, 1) + " is unknown: a later release wrote it");
        };
    }

    /** Whether metadata begins like a map of Laneway. */
    static boolean isLike(String metadata) {
        return !metadata.isEmpty() && metadata.charAt(0) == MAGIC;
    }

    /** How a map that can be read is written. */
    static String encoding(String metadata) {
        return bits(metadata, 1) % 2 == 1 ? "runs" : "bitmap";
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
    private static List<Run> runs(long offset, String metadata) {
        DoneRuns runs = new DoneRuns(offset, Long.MAX_VALUE);
        long position = 0;
        while (true) {
            int zeros = 0;
            while (position < end(metadata) && !isSet(metadata, position)) {
                zeros++;
                position++;
            }
            if (position == end(metadata)) {
                return padded(zeros, runs);
            }
            if (zeros > MOST_ZEROS || position + zeros >= end(metadata)) {
                throw new IllegalArgumentException("it claims a length that it does not hold");
            }
            long length = 0;
            for (int i = 0; i <= zeros; i++) {
                length = (length << 1) | (isSet(metadata, position++) ? 1 : 0);
            }
            runs.add(length);
        }
    }

    /** A bit for each offset, set where it is done. */
    private static List<Run> bitmap(long offset, String metadata) {
        DoneRuns runs = new DoneRuns(offset, Long.MAX_VALUE);
        boolean isDone = false;
        int length = 0;
        for (long position = 0; position < end(metadata); position++) {
            if (isSet(metadata, position) != isDone) {
                runs.add(length);
                isDone = !isDone;
                length = 0;
            }
            length++;
        }
        if (!isDone) {
            return padded(length, runs);
        }
        runs.add(length);
        return runs.finish();
    }

    /** The last character is filled up with zeros. */
    private static List<Run> padded(int zeros, DoneRuns runs) {
        if (zeros >= BITS) {
            throw new IllegalArgumentException("it is longer than what it says");
        }
        return runs.finish();
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
