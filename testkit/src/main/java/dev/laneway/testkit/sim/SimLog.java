package dev.laneway.testkit.sim;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * The log of one partition: records, transaction markers, the gaps that compaction leaves, and where reading may start
 * and must end.
 */
final class SimLog {
    static final long NO_PRODUCER = -1;

    /** The size of a record besides key, value and headers, about as in a real batch of one record. */
    private static final int RECORD_OVERHEAD_BYTES = 70;

    private static final Header[] NO_HEADERS = {};

    private final TopicPartition partition;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<Long, Long> firstOffsetOfOpenTransaction = new LinkedHashMap<>();
    /** The first offset of each leader epoch. */
    private final TreeMap<Integer, Long> epochStarts = new TreeMap<>();

    private long startOffset;
    private long endOffset;
    private int leaderEpoch;

    enum Kind {
        DATA,
        COMMIT_MARKER,
        ABORT_MARKER
    }

    /** One offset's content. {@code aborted} is set when its transaction ends so. */
    static final class Entry {
        final long offset;
        final Kind kind;
        final long timestamp;
        final int leaderEpoch;
        final long producerId;
        final byte @Nullable [] key;
        final byte @Nullable [] value;
        final Header[] headers;
        boolean aborted;

        Entry(long offset, Kind kind, int leaderEpoch, long producerId, SimRecord data) {
            this.offset = offset;
            this.kind = kind;
            this.leaderEpoch = leaderEpoch;
            this.producerId = producerId;
            this.timestamp = data.timestamp;
            this.key = data.key;
            this.value = data.value;
            this.headers = data.headers;
        }

        int sizeBytes() {
            return SimLog.sizeBytes(key, value, headers);
        }
    }

    /** The content of a record. */
    static final class SimRecord {
        final long timestamp;
        final byte @Nullable [] key;
        final byte @Nullable [] value;
        final Header[] headers;

        SimRecord(long timestamp, byte @Nullable [] key, byte @Nullable [] value, @Nullable Headers headers) {
            this.timestamp = timestamp;
            this.key = key == null ? null : key.clone();
            this.value = value == null ? null : value.clone();
            this.headers = headers == null ? NO_HEADERS : headers.toArray();
        }

        int sizeBytes() {
            return SimLog.sizeBytes(key, value, headers);
        }
    }

    /**
     * A part of the log as a fetch returns it. {@code nextOffset} lies behind everything looked at, markers and aborted
     * records too.
     */
    record Slice(
            List<ConsumerRecord<byte[], byte[]>> records,
            List<Integer> sizes,
            long nextOffset,
            int lastEpoch,
            int bytes) {}

    /** The end of a leader epoch. */
    record EpochEnd(int epoch, long offset) {}

    SimLog(TopicPartition partition) {
        this.partition = partition;
        epochStarts.put(0, 0L);
    }

    long startOffset() {
        return startOffset;
    }

    long endOffset() {
        return endOffset;
    }

    int leaderEpoch() {
        return leaderEpoch;
    }

    void bumpLeaderEpoch() {
        leaderEpoch++;
        epochStarts.put(leaderEpoch, endOffset);
    }

    /** Cuts the log: a new leader lacks this offset and all after it. */
    void cut(long offset) {
        if (offset < startOffset || offset > endOffset || !firstOffsetOfOpenTransaction.isEmpty()) {
            throw new IllegalArgumentException(partition + " from " + startOffset + " to " + endOffset
                    + (firstOffsetOfOpenTransaction.isEmpty() ? "" : ", with open transactions,")
                    + " cannot be cut at " + offset);
        }
        entries.subList(indexOf(offset), entries.size()).clear();
        endOffset = offset;
        epochStarts.values().removeIf(start -> start > offset);
        bumpLeaderEpoch();
    }

    /**
     * The offset up to which the log is the same for a reader whose last record has this epoch; null if the epoch is
     * unknown.
     */
    @Nullable
    EpochEnd endOfEpoch(int epoch) {
        Map.Entry<Integer, Long> own = epochStarts.floorEntry(epoch);
        if (own == null || epoch > leaderEpoch) {
            return null;
        }
        Map.Entry<Integer, Long> next = epochStarts.higherEntry(epoch);
        return new EpochEnd(own.getKey(), next == null ? endOffset : next.getValue());
    }

    /** The end as a read_committed consumer sees it: the first record of the oldest open transaction. */
    long lastStableOffset() {
        long first = endOffset;
        for (long offset : firstOffsetOfOpenTransaction.values()) {
            first = Math.min(first, offset);
        }
        return first;
    }

    long limit(boolean readCommitted) {
        return readCommitted ? lastStableOffset() : endOffset;
    }

    long append(SimRecord data, long producerId) {
        if (producerId != NO_PRODUCER) {
            firstOffsetOfOpenTransaction.putIfAbsent(producerId, endOffset);
        }
        return add(Kind.DATA, producerId, data);
    }

    /** Ends a producer's transaction here with a marker. Its records become readable, or never. */
    void endTransaction(long producerId, boolean commit, long timestamp) {
        Long first = firstOffsetOfOpenTransaction.remove(producerId);
        if (first == null) {
            return;
        }
        for (int i = indexOf(first); !commit && i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (entry.producerId == producerId) {
                entry.aborted = true;
            }
        }
        add(commit ? Kind.COMMIT_MARKER : Kind.ABORT_MARKER, producerId, new SimRecord(timestamp, null, null, null));
    }

    private long add(Kind kind, long producerId, SimRecord data) {
        entries.add(new Entry(endOffset, kind, leaderEpoch, producerId, data));
        return endOffset++;
    }

    /** Skips offsets, as a log that was compacted or that does not begin at 0. */
    void skipTo(long offset) {
        if (offset < endOffset) {
            throw new IllegalArgumentException(partition + " ends at " + endOffset + ": it cannot go on at " + offset);
        }
        endOffset = offset;
        if (entries.isEmpty()) {
            startOffset = offset;
        }
    }

    void deleteBefore(long offset) {
        long upTo = Math.min(offset, endOffset);
        if (upTo > startOffset) {
            startOffset = upTo;
            entries.subList(0, indexOf(upTo)).clear();
        }
    }

    /** The first offset that is not older than the timestamp; the end when all are. */
    long offsetOfRetention(long timestamp) {
        for (Entry entry : entries) {
            if (entry.timestamp >= timestamp) {
                return entry.offset;
            }
        }
        return endOffset;
    }

    /**
     * Keeps the latest record of each key. As in Kafka, the last record of the log stays (the active segment is not
     * cleaned), nothing at or beyond the last stable offset is touched, and records of aborted transactions go away.
     */
    void compact() {
        long stable = lastStableOffset();
        Map<String, Long> latest = new HashMap<>();
        for (Entry entry : entries) {
            if (entry.kind == Kind.DATA && !entry.aborted && entry.key != null && entry.offset < stable) {
                latest.put(new String(entry.key, ISO_8859_1), entry.offset);
            }
        }
        long last = endOffset - 1;
        entries.removeIf(entry -> entry.offset < stable && entry.offset != last && isCleaned(entry, latest));
    }

    private static boolean isCleaned(Entry entry, Map<String, Long> latest) {
        if (entry.kind != Kind.DATA || entry.key == null) {
            return false;
        }
        Long kept = latest.get(new String(entry.key, ISO_8859_1));
        return entry.aborted || kept == null || kept != entry.offset;
    }

    boolean hasDataAt(long offset, boolean readCommitted) {
        int index = indexOf(offset);
        return index < entries.size() && entries.get(index).offset < limit(readCommitted);
    }

    /**
     * Reads from an offset up to about so many bytes.
     *
     * @param atLeastOne whether a first record that is larger is returned nevertheless
     */
    Slice read(long offset, int maxBytes, boolean readCommitted, boolean atLeastOne) {
        long limit = limit(readCommitted);
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        long next = offset;
        int epoch = leaderEpoch;
        int bytes = 0;
        for (int i = indexOf(offset); i < entries.size(); i++) {
            Entry entry = entries.get(i);
            int size = entry.sizeBytes();
            boolean fits = bytes + size <= maxBytes || (bytes == 0 && atLeastOne);
            if (entry.offset >= limit || !fits) {
                break;
            }
            bytes += size;
            next = entry.offset + 1;
            epoch = entry.leaderEpoch;
            if (entry.kind == Kind.DATA && !(readCommitted && entry.aborted)) {
                records.add(toRecord(entry));
                sizes.add(size);
            }
        }
        return new Slice(records, sizes, next, epoch, bytes);
    }

    /** The first record at or after a timestamp, null if there is none. */
    @Nullable
    Entry firstAtOrAfter(long timestamp) {
        for (Entry entry : entries) {
            if (entry.kind == Kind.DATA && entry.timestamp >= timestamp) {
                return entry;
            }
        }
        return null;
    }

    private ConsumerRecord<byte[], byte[]> toRecord(Entry entry) {
        return new ConsumerRecord<>(
                partition.topic(),
                partition.partition(),
                entry.offset,
                entry.timestamp,
                TimestampType.CREATE_TIME,
                entry.key == null ? ConsumerRecord.NULL_SIZE : entry.key.length,
                entry.value == null ? ConsumerRecord.NULL_SIZE : entry.value.length,
                copy(entry.key),
                copy(entry.value),
                new RecordHeaders(entry.headers),
                Optional.of(entry.leaderEpoch));
    }

    private static int sizeBytes(byte @Nullable [] key, byte @Nullable [] value, Header[] headers) {
        int size = RECORD_OVERHEAD_BYTES + (key == null ? 0 : key.length) + (value == null ? 0 : value.length);
        for (Header header : headers) {
            size += header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
        return size;
    }

    /** A consumer may change its arrays; the log must not change. */
    @SuppressWarnings("NullAway") // Kafka's record takes null for a null key or value, but is not annotated so
    private static byte[] copy(byte @Nullable [] bytes) {
        return bytes == null ? null : bytes.clone();
    }

    private int indexOf(long offset) {
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries.get(middle).offset < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
