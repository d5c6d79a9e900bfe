package dev.laneway.engine.offsets;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the metadata beside a committed offset says, see {@link OffsetMap}. Immutable, thread-safe. */
public sealed interface DecodedMetadata {

    /** Nothing: no offset beyond the committed one is done. */
    record None() implements DecodedMetadata {}

    /**
     * Not a map for this offset. It is ignored: what finished out of order runs again.
     *
     * @param reason the end of a sentence for the log; never the metadata itself
     */
    record Foreign(Kind kind, String reason) implements DecodedMetadata {

        /** Why metadata is not a map for its offset. */
        public enum Kind {
            /** Of no known writer. */
            JUNK,
            /** Laneway's, but damaged, or written for another offset. */
            MISMATCH,
            /** Laneway's, of a version that this release does not know. */
            NEWER,
            /** The partition time that Kafka Streams keeps there. */
            KAFKA_STREAMS,
            /** Confluent Parallel Consumer's, but damaged or of a form that cannot be read. */
            PARALLEL_CONSUMER_UNREADABLE
        }
    }

    /**
     * A map: from the committed offset up to {@link #cursor} every record is done but for those at the undone offsets,
     * and those of the {@linkplain #keys spilled keys}.
     */
    final class Map implements DecodedMetadata {

        /** Who wrote the map. */
        public enum Origin {
            LANEWAY,
            PARALLEL_CONSUMER
        }

        /**
         * Maps with more undone offsets are refused, so that restoring one takes at most 32 MiB whatever it claims. An
         * owner holds the record of each, so a true map stays far below.
         */
        static final int MAX_UNDONE = 1 << 22;

        /** Maps with more spilled keys are refused; Kafka's default limit of metadata has room for about 700. */
        static final int MAX_KEYS = 1 << 16;

        private final Origin origin;
        private final long[] edges;
        private final int undoneCount;
        private final SpilledKeys spilled;

        private Map(Origin origin, long[] edges, int undoneCount, SpilledKeys spilled) {
            this.origin = origin;
            this.edges = edges;
            this.undoneCount = undoneCount;
            this.spilled = spilled;
        }

        /**
         * Makes the result for edges as {@link OffsetWindow#edges} defines them; they are kept, not copied.
         *
         * @return a map; nothing if the edges hold no done run; foreign if they claim more than can be restored
         */
        public static DecodedMetadata of(Origin origin, long[] edges) {
            return of(origin, edges, SpilledKeys.NONE);
        }

        /**
         * The same with spilled keys.
         *
         * @param edges the first undone run may be empty, if the first key starts there
         * @param spilled ascending by {@code from}, from the first edge on and below the last one
         */
        static DecodedMetadata of(Origin origin, long[] edges, SpilledKeys spilled) {
            if (edges.length == 1) {
                return new None();
            }
            long undone = 0;
            for (int i = 0; i + 1 < edges.length; i += 2) {
                undone += edges[i + 1] - edges[i];
            }
            if (undone > MAX_UNDONE) {
                Foreign.Kind kind = switch (origin) {
                    case LANEWAY -> Foreign.Kind.MISMATCH;
                    case PARALLEL_CONSUMER -> Foreign.Kind.PARALLEL_CONSUMER_UNREADABLE;
                };
                return new Foreign(kind, "it lists " + undone + " undone offsets, more than " + MAX_UNDONE);
            }
            return new Map(origin, edges, (int) undone, spilled);
        }

        public Origin origin() {
            return origin;
        }

        /** The offset after the last done one. From there on nothing is known, so nothing is done. */
        public long cursor() {
            return edges[edges.length - 1];
        }

        /**
         * The spilled keys: a record below the cursor is undone, whatever {@link #isDone} says of its offset, if its
         * key's {@linkplain KeyHash hash} is listed with a {@code from} at or below the offset. Ascending by
         * {@code from}, from the committed offset on, all below the cursor; no hash twice. Unmodifiable, and often
         * empty.
         */
        public List<SpilledKey> keys() {
            return spilled.keys();
        }

        /** Whose lane keys the spilled keys are; null where they are the records' own keys, or there are none. */
        public @Nullable LaneKeyId laneKey() {
            return spilled.laneKey();
        }

        /**
         * Whether the record at this offset is done and must not run again, unless its key is spilled, see
         * {@link #keys}. Logarithmic in the number of runs.
         */
        public boolean isDone(long offset) {
            int run = runAt(offset);
            return run > 0 && (run & 1) == 1;
        }

        /**
         * The first offset from this one on that is not done, spilled keys left aside. Logarithmic in the number of
         * runs.
         */
        public long nextUndone(long offset) {
            int run = runAt(offset);
            return run > 0 && (run & 1) == 1 ? edges[run + 1] : offset;
        }

        /** Which run an offset lies in, counted from 0: odd ones are done. The last one begins at the cursor. */
        private int runAt(long offset) {
            int first = edges[1] == edges[0] ? 1 : 0; // An empty undone run holds nothing.
            int found = Arrays.binarySearch(edges, first, edges.length, offset);
            return found >= 0 ? found : -found - 2;
        }

        /**
         * What this says of the offsets below the given one; null when none of them is done, spilled keys left aside. A
         * key that starts where the result has ended is left out, since everything is undone there.
         */
        public @Nullable Map before(long offset) {
            long[] cut = new long[edges.length];
            cut[0] = edges[0];
            int n = 1;
            int undone = 0;
            while (n < edges.length && edges[n] < offset) {
                undone += (int) (edges[n] - edges[n - 1]);
                cut[n] = edges[n];
                cut[n + 1] = Math.min(edges[n + 1], offset);
                n += 2;
            }
            if (n == 1) {
                return null;
            }
            long end = cut[n - 1];
            List<SpilledKey> below =
                    keys().stream().filter(key -> key.from() < end).toList();
            return new Map(origin, Arrays.copyOf(cut, n), undone, spilled.with(below));
        }

        /** How many offsets below the cursor are undone, spilled keys left aside. */
        public int undoneCount() {
            return undoneCount;
        }

        /**
         * The undone offsets below the cursor in ascending order, spilled keys left aside; a new array. The committed
         * offset is the first one unless it only is a key's {@code from}.
         */
        public long[] undone() {
            long[] out = new long[undoneCount];
            int n = 0;
            for (int i = 0; i + 1 < edges.length; i += 2) {
                for (long offset = edges[i]; offset < edges[i + 1]; offset++) {
                    out[n++] = offset;
                }
            }
            return out;
        }

        @Override
        public String toString() {
            return origin + " map [" + edges[0] + ", " + cursor() + ") with " + undoneCount + " undone"
                    + (spilled.isEmpty()
                            ? ""
                            : ", " + keys().size() + (keys().size() == 1 ? " key" : " keys") + " spilled");
        }
    }
}
