package dev.laneway.engine.offsets;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the maps that list spilled keys, the kinds 5 to 8 of {@link OffsetMap}. Stateless, thread-safe.
 *
 * <h2>Implementation note</h2>
 *
 * <pre>
 *   lane key           kinds 7 and 8: 32 bits of hash of its id, see {@link LaneKeyId}
 *   number of keys     gamma code, at least 1
 *   each key           gamma(from - from of the key before + 1), the first from the base on; then 64 bits of hash
 *   kind 5, 7, runs    gamma(length of the first undone run + 1); then gamma(length) of each further run
 *   kind 6, 8, bitmap  as in kind 4
 * </pre>
 *
 * <p>In the kinds 5 and 6 the keys are the records' own. So those are what is written without a lane key, and a release
 * that does not know lane keys refuses the kinds 7 and 8 as maps of a later one.
 *
 * <p>Keys ascend by {@code from}, then by hash without sign; no hash stands twice. A map ends with its last done run,
 * at X. Everything from X on is undone, so a key whose {@code from} is not below X is not listed. The base may be a
 * key's {@code from} without an undone offset of the window there: then the first undone run is empty.
 *
 * <p>A map that is too long is cut at a lower X. Which is the highest one that fits? With the first k keys listed, X
 * must not pass the {@code from} of key k + 1, nor what fits into the room that k keys leave. The first bound rises
 * with k and the second one falls, so the best k lies where they cross, and a binary search finds it.
 */
final class KeyedMapCodec {
    static final int RUNS = 5;
    static final int BITMAP = 6;
    static final int LANE_KEY_RUNS = 7;
    static final int LANE_KEY_BITMAP = 8;

    private static final Comparator<SpilledKey> ORDER =
            Comparator.comparingLong(SpilledKey::from).thenComparing(SpilledKey::hash, Long::compareUnsigned);

    private KeyedMapCodec() {}

    /** See {@link OffsetMap#encode(TopicPartition, OffsetWindow, SpilledKeys, long, int)}. */
    static Progress encode(TopicPartition id, OffsetWindow undone, SpilledKeys keys, long cursor, int limit) {
        List<SpilledKey> distinct = distinct(keys.keys(), cursor);
        long base = base(undone, distinct, cursor);
        long[] edges = edges(base, undone.edges(cursor));
        SpilledKeys listed = keys.with(below(end(edges), distinct));
        if (listed.isEmpty()) {
            return new Progress(base, OffsetMap.encode(id, base, undone, cursor, limit));
        }
        long[] cut = cut(edges, reach(edges, listed, OffsetMap.room(limit)));
        return new Progress(base, cut.length == 1 ? "" : write(id, cut, keys.with(below(end(cut), distinct))));
    }

    /** See {@link OffsetMap#worstCaseChars(OffsetWindow, SpilledKeys, long, int)}. */
    static int worstCaseChars(OffsetWindow undone, SpilledKeys keys, long cursor, int moreRecords) {
        if (keys.isEmpty()) {
            return OffsetMap.worstCaseChars(undone, cursor, moreRecords);
        }
        long base = base(undone, keys.keys(), cursor);
        long span = cursor - base + moreRecords;
        if (span == 0) {
            return 0;
        }
        long[] edges = edges(base, undone.edges(cursor));
        // The first run is written as one longer, which takes up to two bits more.
        long runs = 2 + OffsetMap.worstCaseBits(edges, undone.size(), cursor, moreRecords);
        return OffsetMap.chars(laneKeyBits(keys) + worstKeyBits(keys.keys().size(), span) + runs);
    }

    private static int laneKeyBits(SpilledKeys keys) {
        return keys.laneKey() == null ? 0 : Integer.SIZE;
    }

    /**
     * The most bits of at most so many keys with their {@code from} in so many offsets.
     *
     * <p>Their steps, each one more than a distance, add up to less than span + count, and a step of n takes 2
     * floor(log2 n) + 1 bits. A step grows by 2 bits where it doubles, and the smallest one does so at the least
     * expense. So most is taken where all steps are the same power of two, but for those that the rest suffices to
     * double. Fewer keys never take more: a further one could have the {@code from} of the last.
     */
    static long worstKeyBits(int count, long span) {
        long sum = span - 1 > Long.MAX_VALUE - count ? Long.MAX_VALUE : span - 1 + count;
        int power = BitText.log2(sum / count);
        long doubled = (sum - ((long) count << power)) >>> power;
        return BitText.gammaLength(count) + (long) count * (Long.SIZE + 1 + 2L * power) + 2 * doubled;
    }

    /**
     * Reads the payload of a map.
     *
     * @return null if it breaks the rules
     */
    static @Nullable DecodedMetadata read(int kind, long base, BitText.Reader bits) {
        LaneKeyId laneKey = null;
        if (kind == LANE_KEY_RUNS || kind == LANE_KEY_BITMAP) {
            if (bits.remaining() < Integer.SIZE) {
                return null;
            }
            laneKey = new LaneKeyId((int) bits.raw(Integer.SIZE));
        }
        long count = bits.gamma();
        if (count > DecodedMetadata.Map.MAX_KEYS) {
            return OffsetMap.mismatch("it lists " + count + " keys, more than " + DecodedMetadata.Map.MAX_KEYS);
        }
        List<SpilledKey> keys = readKeys(count, base, bits);
        if (keys == null) {
            return null;
        }
        OffsetRuns runs = OffsetRuns.withEmptyStart(base, bits.remaining() + 1);
        long[] edges = kind == RUNS || kind == LANE_KEY_RUNS ? readRuns(runs, bits) : OffsetMap.readBitmap(runs, bits);
        if (edges == null || keys.getLast().from() >= end(edges)) {
            return null;
        }
        boolean isBaseUndone = edges[1] > base || keys.getFirst().from() == base;
        return isBaseUndone
                ? DecodedMetadata.Map.of(DecodedMetadata.Map.Origin.LANEWAY, edges, new SpilledKeys(laneKey, keys))
                : null;
    }

    private static @Nullable List<SpilledKey> readKeys(long count, long base, BitText.Reader bits) {
        if (count < 1 || count > bits.remaining() / Long.SIZE) {
            return null;
        }
        List<SpilledKey> keys = new ArrayList<>((int) count);
        Set<Long> hashes = HashSet.newHashSet((int) count);
        long from = base;
        for (int i = 0; i < count; i++) {
            long step = bits.gamma();
            if (step < 1 || from + step - 1 < from || bits.remaining() < Long.SIZE) {
                return null;
            }
            from += step - 1;
            SpilledKey key = new SpilledKey(bits.raw(Long.SIZE), from);
            if (!hashes.add(key.hash()) || (i > 0 && ORDER.compare(keys.getLast(), key) >= 0)) {
                return null;
            }
            keys.add(key);
        }
        return keys;
    }

    private static long @Nullable [] readRuns(OffsetRuns runs, BitText.Reader bits) {
        long first = bits.gamma();
        return first >= 1 && runs.run(first - 1) ? OffsetMap.readRuns(runs, bits) : null;
    }

    private static String write(TopicPartition id, long[] edges, SpilledKeys keys) {
        if (keys.isEmpty()) {
            return OffsetMap.write(id, edges);
        }
        long runBits = BitText.gammaLength(edges[1] - edges[0] + 1) + OffsetMap.runBits(edges, 1);
        long bitmapBits = OffsetMap.bitmapBits(edges);
        boolean asBitmap = bitmapBits <= runBits;
        int count = keys.keys().size();
        long[] keyBits = keyBits(edges[0], keys, count);
        char[] out = new char[OffsetMap.chars(keyBits[count] + Math.min(bitmapBits, runBits))];
        BitText.Writer writer = OffsetMap.writer(out);
        LaneKeyId laneKey = keys.laneKey();
        if (laneKey != null) {
            writer.raw(Integer.toUnsignedLong(laneKey.hash()), Integer.SIZE);
        }
        writer.gamma(count);
        long from = edges[0];
        for (SpilledKey key : keys.keys()) {
            writer.gamma(key.from() - from + 1);
            writer.raw(key.hash(), Long.SIZE);
            from = key.from();
        }
        if (asBitmap) {
            OffsetMap.writeBitmap(edges, writer);
        } else {
            writer.gamma(edges[1] - edges[0] + 1);
            OffsetMap.writeRuns(edges, 1, writer);
        }
        writer.finish();
        return OffsetMap.sealed(id, kind(asBitmap, laneKey), edges[0], out);
    }

    private static int kind(boolean asBitmap, @Nullable LaneKeyId laneKey) {
        if (laneKey == null) {
            return asBitmap ? BITMAP : RUNS;
        }
        return asBitmap ? LANE_KEY_BITMAP : LANE_KEY_RUNS;
    }

    /** Those that lie below the cursor, in order; of several with one hash the one from the lowest offset on. */
    private static List<SpilledKey> distinct(List<SpilledKey> keys, long cursor) {
        List<SpilledKey> distinct = new ArrayList<>(keys);
        distinct.removeIf(key -> key.from() >= cursor);
        distinct.sort(ORDER);
        Set<Long> hashes = HashSet.newHashSet(distinct.size());
        distinct.removeIf(key -> !hashes.add(key.hash()));
        return distinct;
    }

    private static long base(OffsetWindow undone, List<SpilledKey> keys, long cursor) {
        long base = undone.committable(cursor);
        for (SpilledKey key : keys) {
            base = Math.min(base, key.from());
        }
        return base;
    }

    /** The edges of the window from a base on that may lie below it, with an empty undone run first. */
    private static long[] edges(long base, long[] window) {
        if (base == window[0]) {
            return window;
        }
        long[] edges = new long[window.length + 2];
        edges[0] = base;
        edges[1] = base;
        System.arraycopy(window, 0, edges, 2, window.length);
        return edges;
    }

    private static long end(long[] edges) {
        return edges[edges.length - 1];
    }

    private static List<SpilledKey> below(long end, List<SpilledKey> sorted) {
        int count = 0;
        while (count < sorted.size() && sorted.get(count).from() < end) {
            count++;
        }
        return sorted.subList(0, count);
    }

    // ---------------------------------------------------------------- cutting

    /** Where the longest map that fits ends; the base if none fits. All keys lie below the last edge. */
    private static long reach(long[] edges, SpilledKeys spilled, long room) {
        List<SpilledKey> keys = spilled.keys();
        long[] keyBits = keyBits(edges[0], spilled, Math.min(keys.size(), DecodedMetadata.Map.MAX_KEYS));
        int most = keyBits.length - 1;
        while (most > 0 && keyBits[most] > room) {
            most--;
        }
        int low = 0;
        int high = most;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (fitting(edges, room - keyBits[middle], middle > 0) <= firstLeftOut(keys, middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        long reach = edges[0];
        for (int count = Math.max(0, low - 1); count <= low; count++) {
            long fitting = fitting(edges, room - keyBits[count], count > 0);
            reach = Math.max(reach, end(cut(edges, Math.min(fitting, firstLeftOut(keys, count)))));
        }
        return reach;
    }

    /** How many bits the first keys take, and whose they are, for each number of them up to the most. */
    private static long[] keyBits(long base, SpilledKeys keys, int most) {
        long[] bits = new long[most + 1];
        long from = base;
        long sum = 0;
        for (int count = 1; count <= most; count++) {
            SpilledKey key = keys.keys().get(count - 1);
            sum += BitText.gammaLength(key.from() - from + 1) + Long.SIZE;
            bits[count] = laneKeyBits(keys) + BitText.gammaLength(count) + sum;
            from = key.from();
        }
        return bits;
    }

    private static long firstLeftOut(List<SpilledKey> keys, int listed) {
        return listed < keys.size() ? keys.get(listed).from() : Long.MAX_VALUE;
    }

    /** Where the longest map ends whose runs or bits fit; the base if none do. */
    private static long fitting(long[] edges, long room, boolean hasKeys) {
        if (room <= 0) {
            return edges[0];
        }
        long bitmapEnd = edges[0] > Long.MAX_VALUE - room ? Long.MAX_VALUE : edges[0] + room;
        return Math.max(end(cut(edges, bitmapEnd)), fittingRuns(edges, room, hasKeys));
    }

    private static long fittingRuns(long[] edges, long room, boolean hasKeys) {
        long end = edges[0];
        long left = room;
        for (int i = 1; i < edges.length; i += 2) {
            long undone = edges[i] - edges[i - 1] + (hasKeys && i == 1 ? 1 : 0);
            left -= BitText.gammaLength(undone);
            if (left <= 0) {
                return end;
            }
            long done = Math.min(edges[i + 1] - edges[i], BitText.longestGamma(left));
            end = edges[i] + done;
            if (end < edges[i + 1]) {
                return end;
            }
            left -= BitText.gammaLength(done);
        }
        return end;
    }

    /** What the edges say of the offsets below an end. */
    private static long[] cut(long[] edges, long end) {
        int keep = 1;
        while (keep < edges.length && edges[keep] < end) {
            keep += 2;
        }
        long[] cut = Arrays.copyOf(edges, keep);
        cut[keep - 1] = keep == 1 ? edges[0] : Math.min(edges[keep - 1], end);
        return cut;
    }
}
