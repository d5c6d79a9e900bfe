package dev.laneway.ops;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What a commit names as done: every offset below {@code offset}, and these runs beyond it, but for the records of
 * spilled keys. Decoded independently of the engine, so that the engine does not check itself. Immutable.
 *
 * @param offset the committed offset
 * @param done ascending, not touching each other
 * @param keys ascending by {@code from}; empty for most maps
 * @param laneKey the first 32 bits of SHA-256 of the lane key's id, if the keys are lane keys; null if they are the
 *     records' own, or there are none
 */
public record CommitMap(
        long offset,
        List<Run> done,
        List<SpilledKey> keys,
        @Nullable Integer laneKey) {
    private static final char MAGIC = '\u4C57';
    private static final char ZERO = '\u0800';
    private static final int BITS = 15;
    private static final int HEADER = 4;

    /** Before the binary digits of a length: a Long holds no more. */
    private static final int MOST_ZEROS = 62;

    /** Laneway restores no map with more spilled keys. */
    private static final int MOST_KEYS = 65_536;

    /** Copies the lists. */
    public CommitMap {
        done = List.copyOf(done);
        keys = List.copyOf(keys);
    }

    /** Without keys. */
    public CommitMap(long offset, List<Run> done) {
        this(offset, done, List.of(), null);
    }

    /** Offsets from the first, included, to the last, not included. */
    public record Run(long from, long to) {
        /** How many offsets these are. */
        public long length() {
            return to - from;
        }
    }

    /**
     * A key whose records from an offset on are undone, though that is beyond the committed offset.
     *
     * @param hash the first 64 bits of SHA-256 of a byte of one and the key, or the lane key, or of a byte of zero for
     *     a null key
     */
    public record SpilledKey(long hash, long from) {
        /**
         * The hash of a key, or a lane key.
         *
         * @param key as serialised; null for records without a key
         */
        public static long hash(byte @Nullable [] key) {
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                digest.update((byte) (key == null ? 0 : 1));
                return ByteBuffer.wrap(key == null ? digest.digest() : digest.digest(key))
                        .getLong();
            } catch (NoSuchAlgorithmException impossible) {
                throw new IllegalStateException(
                        "this JVM has no SHA-256, which every Java platform must have", impossible);
            }
        }
    }

    /** The offset after the last one that is named done. */
    public long reach() {
        return done.isEmpty() ? offset : done.getLast().to();
    }

    /** Whether the commit says that the record at this offset is done, unless its key is spilled. */
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
        Bits payload = new Bits(metadata);
        int kind = bits(metadata, 1);
        return switch (kind) {
            case 1, 3 -> new CommitMap(offset, runs(payload, new DoneRuns(offset, Long.MAX_VALUE)));
            case 2, 4 -> new CommitMap(offset, bitmap(payload, new DoneRuns(offset, Long.MAX_VALUE)));
            case 5, 6 -> keyed(offset, payload, kind == 5, null);
            case 7, 8 -> keyed(offset, payload, kind == 7, (int) payload.next(Integer.SIZE));
            default -> throw new IllegalArgumentException("its kind " + kind + " is unknown: a later release wrote it");
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

    /** The payload, read from its beginning. */
    private static final class Bits {
        private final String metadata;
        private final long end;
        private long position;

        Bits(String metadata) {
            this.metadata = metadata;
            this.end = (long) (metadata.length() - HEADER) * BITS;
        }

        long left() {
            return end - position;
        }

        boolean next() {
            int index = HEADER + Math.toIntExact(position / BITS);
            return ((bits(metadata, index) >>> (BITS - 1 - position++ % BITS)) & 1) != 0;
        }

        /** So many bits as a number. */
        long next(int count) {
            if (count > left()) {
                throw new IllegalArgumentException("it claims a length that it does not hold");
            }
            long number = 0;
            for (int i = 0; i < count; i++) {
                number = (number << 1) | (next() ? 1 : 0);
            }
            return number;
        }

        /** A number in the Elias gamma code; 0 if only the zeros are left that fill up the last character. */
        long gamma() {
            int zeros = 0;
            while (left() > 0) {
                if (next()) {
                    if (zeros > MOST_ZEROS) {
                        throw new IllegalArgumentException("it claims a length that it does not hold");
                    }
                    return (1L << zeros) | next(zeros);
                }
                zeros++;
            }
            if (zeros >= BITS) {
                throw new IllegalArgumentException("it is longer than what it says");
            }
            return 0;
        }
    }

    /** Lengths of undone and done runs in turn, each in the Elias gamma code. */
    private static List<Run> runs(Bits payload, DoneRuns runs) {
        for (long length = payload.gamma(); length > 0; length = payload.gamma()) {
            runs.add(length);
        }
        return runs.finish();
    }

    /** A bit for each offset, set where it is done. */
    private static List<Run> bitmap(Bits payload, DoneRuns runs) {
        boolean isDone = false;
        int length = 0;
        while (payload.left() > 0) {
            if (payload.next() != isDone) {
                runs.add(length);
                isDone = !isDone;
                length = 0;
            }
            length++;
        }
        if (isDone) {
            runs.add(length);
        } else if (length >= BITS) {
            throw new IllegalArgumentException("it is longer than what it says");
        }
        return runs.finish();
    }

    /** Spilled keys; then runs, of which the first one is written as one longer, or a bitmap. */
    private static CommitMap keyed(long offset, Bits payload, boolean hasRuns, @Nullable Integer laneKey) {
        long count = payload.gamma();
        if (count == 0 || count > MOST_KEYS) {
            throw new IllegalArgumentException("it has " + count + " keys, not from 1 to " + MOST_KEYS);
        }
        List<SpilledKey> keys = new ArrayList<>();
        Set<Long> hashes = new HashSet<>();
        long from = offset;
        for (int i = 0; i < count; i++) {
            long step = payload.gamma();
            long hash = payload.next(Long.SIZE);
            boolean isTied = i > 0 && step == 1;
            from += step - 1;
            if (step == 0
                    || from < offset
                    || !hashes.add(hash)
                    || (isTied && Long.compareUnsigned(hash, keys.getLast().hash()) < 0)) {
                throw new IllegalArgumentException("its keys are not in order");
            }
            keys.add(new SpilledKey(hash, from));
        }
        DoneRuns runs = new DoneRuns(offset, Long.MAX_VALUE, true);
        if (hasRuns) {
            runs.add(payload.gamma() - 1);
        }
        CommitMap map = new CommitMap(offset, hasRuns ? runs(payload, runs) : bitmap(payload, runs), keys, laneKey);
        if (from >= map.reach()) {
            throw new IllegalArgumentException("it has a key that is spilled beyond its end");
        }
        if (map.names(offset) && keys.getFirst().from() > offset) {
            throw new IllegalArgumentException("it calls the committed offset itself done");
        }
        return map;
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
