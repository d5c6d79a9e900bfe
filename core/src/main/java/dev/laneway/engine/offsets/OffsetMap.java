package dev.laneway.engine.offsets;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The codec of the commit's metadata: which offsets beyond the committed one are done already, so that a restart or a
 * new owner skips them.
 *
 * <p>Stateless, thread-safe.
 *
 * <h2>Implementation note</h2>
 *
 * <p>The broker limits the metadata in UTF-16 characters (4096 by default), not in bytes. The 32,768 characters from
 * U+0800 to U+87FF hold no surrogate, so each carries 15 bits; Base64 carries 6.
 *
 * <pre>
 *   char 0     U+4C57, in ASCII "LW"; Base64 and other ASCII never start with it
 *   char 1     kind and version of the payload: 3 runs, 4 bitmap; with spilled keys 5 runs, 6 bitmap;
 *              with spilled lane keys 7 runs, 8 bitmap
 *   char 2, 3  30 bits of CRC-32C over the base, the length, chars 0 and 1, the payload, partition and topic
 *   char 4...  payload, most significant bit first, padded with less than 15 zero bits
 * </pre>
 *
 * <p>Base, topic and partition are not stored, the commit names them; but the checksum covers them. So a map that
 * stands beside another offset (somebody moved the group), or was copied to another partition's commit, is recognised
 * and ignored. The kinds 1 (runs) and 2 (bitmap) of earlier builds, whose checksum ends with the payload, are read and
 * no longer written.
 *
 * <p>Between the base (undone) and the last done offset, undone and done runs alternate. <i>Runs</i> writes each length
 * in the Elias gamma code (P. Elias, 1975): floor(log2 n) zeros, then n in binary. It was chosen over byte-wide
 * variable integers because a run of 1 costs one bit, not eight, and because any n offsets cost at most 1.5 n bits
 * however they finish, which bounds a map before it exists, see {@link #worstCaseChars}. <i>Bitmap</i> writes one bit
 * per offset, set if done. Each ends with a set bit, so that neither needs a length. The shorter one is taken.
 *
 * <p>Spilled keys are listed before the runs, see {@link KeyedMapCodec}. Where there are none the kinds 3 and 4 are
 * written, which earlier releases read, so that a group can be upgraded member by member.
 */
public final class OffsetMap {

    /** Kafka's default of {@code offset.metadata.max.bytes}, which counts UTF-16 characters. */
    public static final int DEFAULT_LIMIT = 4096;

    private static final char MAGIC = '\u4C57';
    private static final int EARLIER_RUNS = 1;
    private static final int EARLIER_BITMAP = 2;
    private static final int RUNS = 3;
    private static final int BITMAP = 4;
    private static final int HEADER = 4;
    private static final int CHECKSUM_AT = 2;
    private static final int CHECKSUM_MASK = (1 << (2 * BitText.PER_CHAR)) - 1;

    private OffsetMap() {}

    /** Encodes within {@link #DEFAULT_LIMIT}, see {@link #encode(TopicPartition, long, OffsetWindow, long, int)}. */
    public static String encode(TopicPartition id, long base, OffsetWindow undone, long cursor) {
        return encode(id, base, undone, cursor, DEFAULT_LIMIT);
    }

    /**
     * Encodes what is done between the base and the cursor.
     *
     * <p>A map longer than the limit is not dropped but cut: it says less of the far end, and a restart repeats only
     * that. {@link #worstCaseChars} keeps intake from ever reaching that point.
     *
     * @param id whose offset is to be committed
     * @param base the offset to be committed, {@code undone.committable(cursor)}
     * @param cursor the offset after the last one delivered
     * @param limit the most characters the broker accepts, {@code offset.metadata.max.bytes}
     * @return at most {@code limit} characters; empty if nothing beyond the base is done
     * @throws IllegalStateException if the base is not the committable offset: it must never pass an undone one
     */
    public static String encode(TopicPartition id, long base, OffsetWindow undone, long cursor, int limit) {
        long[] edges = undone.edges(cursor);
        if (edges[0] != base) {
            throw new IllegalStateException("base " + base + " is not the committable offset " + edges[0]);
        }
        long room = room(limit);
        if (edges.length == 1 || room <= 0) {
            return "";
        }
        long runBits = runBits(edges);
        long bitmapBits = bitmapBits(edges);
        if (bitmapBits <= runBits && bitmapBits <= room) {
            return write(id, BITMAP, edges);
        }
        if (runBits <= room) {
            return write(id, RUNS, edges);
        }
        long[] asRuns = cutRuns(edges, room);
        long[] asBitmap = cutBitmap(edges, room);
        boolean bitmapReachesFurther = bitmapBits(asBitmap) >= bitmapBits(asRuns);
        long[] cut = bitmapReachesFurther ? asBitmap : asRuns;
        return cut.length == 1 ? "" : write(id, bitmapReachesFurther ? BITMAP : RUNS, cut);
    }

    /**
     * Encodes what is done below the cursor where the records of some keys are spilled: a record below the map's end is
     * undone if its offset is in the window, or if its key is listed with a {@code from} at or below the offset.
     *
     * <p>A map longer than the limit is cut too: at the highest end for which there is also room for all keys that
     * start below it. So no key is left out that matters.
     *
     * @param keys of several with one hash the lowest {@code from} counts
     * @return the lower one of {@code undone.committable(cursor)} and the lowest {@code from}; with a map that is empty
     *     if nothing beyond it is done, or fits
     */
    public static Progress encode(TopicPartition id, OffsetWindow undone, SpilledKeys keys, long cursor, int limit) {
        return KeyedMapCodec.encode(id, undone, keys, cursor, limit);
    }

    /** How many characters {@link #encode} would take without a limit; {@link Integer#MAX_VALUE} if more than that. */
    static int encodedChars(OffsetWindow undone, long cursor) {
        long[] edges = undone.edges(cursor);
        return edges.length == 1 ? 0 : chars(Math.min(runBits(edges), bitmapBits(edges)));
    }

    /**
     * The most characters a later map can take if further records are taken, in whatever order the undone ones and the
     * new ones finish. Intake stops while this exceeds the limit, and the map itself then never does.
     *
     * <p>Why the bound holds: cut the runs of any later map wherever an undone run of the present window meets a gap. A
     * cut saves at most one bit, since gamma(x + y) takes at most 1 more than gamma(x) and gamma(y) together, and a gap
     * has two ends. A piece in a gap is the gap itself; pieces in an undone run take at most 1.5 bits per offset.
     *
     * @param cursor where the next record lies: offsets between the last record and it count as done
     * @param moreRecords how many records, with contiguous offsets from the cursor on, would be taken
     */
    public static int worstCaseChars(OffsetWindow undone, long cursor, int moreRecords) {
        return undone.isEmpty() && moreRecords == 0
                ? 0
                : chars(worstCaseBits(undone.edges(cursor), undone.size(), cursor, moreRecords));
    }

    /**
     * The same where keys are spilled. Keys may go, and each {@code from} may rise as far as the cursor does; but no
     * key is added, no {@code from} falls, and no offset below the present cursor enters the window. A record of a
     * spilled key that is taken and dropped counts as one of the further records.
     *
     * <p>Why the bound holds: the base never falls, since it is the lowest of what only rises. So the runs of a later
     * map can be cut into pieces as above. If its base lies in a gap, the piece there is a part of the gap, which takes
     * no more than the whole. The first undone run takes at most 2 bits more, being written as one longer. Each
     * {@code from} lies between the present base and the later cursor; the keys are counted as if they lay there in the
     * way that takes most, see {@link KeyedMapCodec#worstKeyBits}, and fewer keys never take more.
     */
    public static int worstCaseChars(OffsetWindow undone, SpilledKeys keys, long cursor, int moreRecords) {
        return KeyedMapCodec.worstCaseChars(undone, keys, cursor, moreRecords);
    }

    static long worstCaseBits(long[] edges, int undone, long cursor, int moreRecords) {
        long gapBits = 0;
        for (int i = 1; i + 1 < edges.length; i += 2) {
            gapBits += BitText.gammaLength(edges[i + 1] - edges[i]) + 2;
        }
        long open = (long) undone + moreRecords;
        long asRuns = gapBits + open + (open + 1) / 2;
        long asBitmap = Math.min(cursor - edges[0], asRuns) + moreRecords;
        return Math.min(asRuns, asBitmap);
    }

    /** The most characters that so many records take by themselves, in whatever order they finish. */
    public static int worstCaseChars(int records) {
        return records == 0 ? 0 : chars((long) records + (records + 1L) / 2);
    }

    /**
     * Reads committed metadata, whoever wrote it. Never throws, and takes memory in proportion to the metadata's
     * length.
     *
     * @param id whose offset was committed
     * @param base the committed offset the metadata stood beside
     */
    public static DecodedMetadata decode(TopicPartition id, long base, @Nullable String metadata) {
        if (metadata == null || metadata.isEmpty()) {
            return new DecodedMetadata.None();
        }
        return metadata.charAt(0) == MAGIC ? decodeOwn(id, base, metadata) : ForeignMetadata.read(base, metadata);
    }

    private static DecodedMetadata decodeOwn(TopicPartition id, long base, String metadata) {
        if (metadata.length() <= HEADER || !BitText.isPacked(metadata)) {
            return mismatch("it starts as a map but was cut or mixed with other text");
        }
        int kind = BitText.value(metadata.charAt(1));
        int stored = BitText.value(metadata.charAt(CHECKSUM_AT)) << BitText.PER_CHAR
                | BitText.value(metadata.charAt(CHECKSUM_AT + 1));
        if (stored != checksum(id, base, metadata)) {
            return mismatch(
                    "the map is damaged, or was written for another offset or partition than " + id + "@" + base);
        }
        BitText.Reader bits = new BitText.Reader(metadata, HEADER);
        DecodedMetadata map;
        switch (kind) {
            case RUNS, EARLIER_RUNS -> map = mapOf(readRuns(new OffsetRuns(base, bits.remaining()), bits));
            case BITMAP, EARLIER_BITMAP -> map = mapOf(readBitmap(new OffsetRuns(base, bits.remaining()), bits));
            case KeyedMapCodec.RUNS, KeyedMapCodec.BITMAP, KeyedMapCodec.LANE_KEY_RUNS, KeyedMapCodec.LANE_KEY_BITMAP ->
                map = KeyedMapCodec.read(kind, base, bits);
            default -> {
                return new DecodedMetadata.Foreign(
                        DecodedMetadata.Foreign.Kind.NEWER,
                        "payload kind " + kind + " is unknown: upgrade Laneway to read it");
            }
        }
        return map == null ? mismatch("the checksum is right but the payload breaks the rules of kind " + kind) : map;
    }

    private static @Nullable DecodedMetadata mapOf(long @Nullable [] edges) {
        return edges == null ? null : DecodedMetadata.Map.of(DecodedMetadata.Map.Origin.LANEWAY, edges);
    }

    static DecodedMetadata mismatch(String reason) {
        return new DecodedMetadata.Foreign(DecodedMetadata.Foreign.Kind.MISMATCH, reason);
    }

    /** Reads the rest of the bits as runs; the edges, or null if they break the rules. */
    static long @Nullable [] readRuns(OffsetRuns edges, BitText.Reader bits) {
        while (true) {
            long left = bits.remaining();
            long length = bits.gamma();
            if (length == 0) {
                return left < BitText.PER_CHAR ? edges.finish() : null;
            }
            if (!edges.run(length)) {
                return null;
            }
        }
    }

    /** Reads the rest of the bits as a bitmap; the edges, or null if they break the rules. */
    static long @Nullable [] readBitmap(OffsetRuns edges, BitText.Reader bits) {
        int current = 0;
        int length = 0;
        while (bits.remaining() > 0) {
            int bit = bits.next();
            if (bit != current) {
                if (!edges.run(length)) {
                    return null;
                }
                current = bit;
                length = 0;
            }
            length++;
        }
        boolean valid = current == 0 ? length < BitText.PER_CHAR : edges.run(length);
        return valid ? edges.finish() : null;
    }

    /** Writes a map without keys in the shorter form. */
    static String write(TopicPartition id, long[] edges) {
        return write(id, bitmapBits(edges) <= runBits(edges) ? BITMAP : RUNS, edges);
    }

    private static String write(TopicPartition id, int kind, long[] edges) {
        char[] out = new char[chars(kind == RUNS ? runBits(edges) : bitmapBits(edges))];
        BitText.Writer writer = writer(out);
        if (kind == RUNS) {
            writeRuns(edges, 0, writer);
        } else {
            writeBitmap(edges, writer);
        }
        writer.finish();
        return sealed(id, kind, edges[0], out);
    }

    /** Writes the payload of a map. */
    static BitText.Writer writer(char[] map) {
        return new BitText.Writer(map, HEADER);
    }

    /** Writes the lengths of all runs but for so many first ones. */
    static void writeRuns(long[] edges, int skipped, BitText.Writer writer) {
        for (int i = skipped; i + 1 < edges.length; i++) {
            writer.gamma(edges[i + 1] - edges[i]);
        }
    }

    static void writeBitmap(long[] edges, BitText.Writer writer) {
        for (int i = 0; i + 1 < edges.length; i++) {
            writer.repeat(i & 1, edges[i + 1] - edges[i]);
        }
    }

    /** Writes the header of a map whose payload is written. */
    static String sealed(TopicPartition id, int kind, long base, char[] map) {
        map[0] = MAGIC;
        map[1] = BitText.packed(kind);
        int checksum = checksum(id, base, CharBuffer.wrap(map));
        map[CHECKSUM_AT] = BitText.packed(checksum >>> BitText.PER_CHAR);
        map[CHECKSUM_AT + 1] = BitText.packed(checksum);
        return new String(map);
    }

    /** The longest beginning of a map that takes at most so many bits as runs. */
    private static long[] cutRuns(long[] edges, long room) {
        long bits = 0;
        int keep = 1;
        while (keep < edges.length) {
            bits += BitText.gammaLength(edges[keep] - edges[keep - 1]);
            bits += BitText.gammaLength(edges[keep + 1] - edges[keep]);
            if (bits > room) {
                break;
            }
            keep += 2;
        }
        return Arrays.copyOf(edges, keep);
    }

    /** The longest beginning of a map that takes at most so many bits as a bitmap. */
    private static long[] cutBitmap(long[] edges, long room) {
        int keep = 1;
        while (keep < edges.length && edges[keep] - edges[0] < room) {
            keep += 2;
        }
        long[] cut = Arrays.copyOf(edges, keep);
        if (bitmapBits(cut) > room) {
            cut[keep - 1] = edges[0] + room;
        }
        return cut;
    }

    /** How many bits a limit in characters leaves to the payload. */
    static long room(int limit) {
        return (long) (limit - HEADER) * BitText.PER_CHAR;
    }

    private static long runBits(long[] edges) {
        return runBits(edges, 0);
    }

    /** Of all runs but for so many first ones. */
    static long runBits(long[] edges, int skipped) {
        long bits = 0;
        for (int i = skipped; i + 1 < edges.length; i++) {
            bits += BitText.gammaLength(edges[i + 1] - edges[i]);
        }
        return bits;
    }

    static long bitmapBits(long[] edges) {
        return edges[edges.length - 1] - edges[0];
    }

    static int chars(long payloadBits) {
        return (int) Math.min(HEADER + BitText.chars(payloadBits), Integer.MAX_VALUE);
    }

    /** 30 bits of CRC-32C over the base, the length and everything but the checksum itself; then whose map it is. */
    public static int checksum(TopicPartition id, long base, CharSequence map) {
        int kind = BitText.value(map.charAt(1));
        String topic = kind == EARLIER_RUNS || kind == EARLIER_BITMAP ? "" : id.topic();
        ByteBuffer bytes =
                ByteBuffer.allocate(Long.BYTES + 2 * Integer.BYTES + Character.BYTES * (map.length() + topic.length()));
        bytes.putLong(base).putInt(map.length());
        for (int i = 0; i < map.length(); i++) {
            if (i < CHECKSUM_AT || i >= HEADER) {
                bytes.putChar(map.charAt(i));
            }
        }
        if (!topic.isEmpty()) {
            bytes.putInt(id.partition());
            for (int i = 0; i < topic.length(); i++) {
                bytes.putChar(topic.charAt(i));
            }
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.flip());
        return (int) crc.getValue() & CHECKSUM_MASK;
    }
}
