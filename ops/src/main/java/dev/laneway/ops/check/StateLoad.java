package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Metric;
import dev.laneway.ops.observe.Series;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.DoublePredicate;

/**
 * What the state of one process does to its caches and disks: the measures that several rules share, so that reads are
 * blamed on memory only if reads and caches say so together, and writes likewise.
 */
record StateLoad(Instance instance, Thresholds limits) {
    private static final String STATE = "stream-state-metrics";
    private static final double PAGE_BYTES = 4_096;
    private static final double COMPACTION = 2;
    /** So often is a byte written at most, by a flush and by compaction through all levels. */
    private static final double MOST_WRITES_A_BYTE = 30;

    /** The operations of a store that read; deleting and putting if absent return what was there. */
    private static final List<String> READING =
            List.of("get", "fetch", "range", "all", "prefix-scan", "delete", "put-if-absent");

    /** The answer to a question about something that may not be observable. */
    enum Answer {
        YES,
        NO,
        NOT_KNOWN;

        static Answer of(OptionalDouble value, DoublePredicate yes) {
            return value.isEmpty() ? NOT_KNOWN : yes.test(value.getAsDouble()) ? YES : NO;
        }
    }

    /**
     * Reads from disk in a second: those of the process where its system tells its bytes, at the size of a read that
     * the disks show; else of all who use them.
     */
    OptionalDouble reads() {
        OptionalDouble all = instance.rate(Groups.DISK, "reads-total");
        OptionalDouble own = ownReads();
        if (own.isEmpty()) {
            return all;
        }
        double bytes = instance.rate(Groups.DISK, "read-bytes-total").orElse(0);
        double size = all.orElse(0) > 0 && bytes > 0 ? bytes / all.getAsDouble() : PAGE_BYTES;
        return OptionalDouble.of(own.getAsDouble() / size);
    }

    /** Bytes in a second that the process itself reads from disks. */
    OptionalDouble ownReads() {
        return instance.rate(Groups.PROCESS, "read-bytes-total");
    }

    /** Bytes in a second that the process itself writes to disks. */
    OptionalDouble ownWrites() {
        return instance.rate(Groups.PROCESS, "written-bytes-total");
    }

    /**
     * Whether the process reads its state from disk because its block cache cannot hold it, where hits are not told:
     * RocksDB's statistics come once a minute, and at DEBUG only. Compaction reads no more than it writes.
     */
    Answer readsPastCache() {
        OptionalDouble state = instance.sum(StreamsMetric.SST_BYTES);
        OptionalDouble own = ownReads();
        OptionalDouble written = ownWrites();
        if (state.isEmpty() || own.isEmpty() || written.isEmpty()) {
            return Answer.NOT_KNOWN;
        }
        return own.getAsDouble() > COMPACTION * written.getAsDouble() && cacheBytes() < state.getAsDouble()
                ? Answer.YES
                : Answer.NO;
    }

    /** The block cache. With one shared cache each store tells the same: the highest, not the sum. */
    double cacheBytes() {
        return instance.all(StreamsMetric.CACHE_CAPACITY).stream()
                .mapToDouble(Series::last)
                .max()
                .orElse(0);
    }

    /** Records processed in a second. */
    OptionalDouble records() {
        return instance.rate(StreamsMetric.PROCESSED.group(), StreamsMetric.PROCESSED.metric());
    }

    /** Reads from disk for each record; empty if no record was processed. */
    OptionalDouble readsPerRecord() {
        return reads().isEmpty() || records().orElse(0) == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(reads().getAsDouble() / records().getAsDouble());
    }

    /**
     * Whether the disk is read much: by itself, for each record, and, where that is recorded, for the time of threads.
     * What a fast disk gives in next to no time limits nobody.
     */
    Answer readsMuch() {
        boolean few = reads().isPresent() && reads().getAsDouble() <= limits.of(Threshold.DISK_READS);
        boolean cheap = readTime().isPresent() && readTime().getAsDouble() <= limits.of(Threshold.READ_TIME);
        return few || cheap
                ? Answer.NO
                : Answer.of(readsPerRecord(), each -> each > limits.of(Threshold.READS_PER_RECORD));
    }

    /**
     * The share of the time that the thread which reads its stores most spends in that; empty where no read is
     * recorded. It is an upper bound of what disks cost, since it has the hits of caches and the decoding in it too.
     */
    OptionalDouble readTime() {
        Map<String, Double> nanos = new HashMap<>();
        for (String operation : READING) {
            for (Series each : instance.all(STATE, operation + "-latency-avg")) {
                double rate = instance.seen()
                        .one(
                                each.source(),
                                Metric.of(
                                        STATE,
                                        operation + "-rate",
                                        each.metric().tags()))
                        .map(Series::last)
                        .orElse(0.0);
                nanos.merge(each.metric().tags().getOrDefault("thread-id", ""), rate * each.last(), Double::sum);
            }
        }
        return nanos.values().stream()
                .filter(all -> all > 0)
                .mapToDouble(all -> all / 1e9)
                .max();
    }

    /** What reads cost, for people; nothing where that is not recorded. */
    String readTimeText() {
        return readTime().isEmpty()
                ? ""
                : "; reads take " + Figures.percent(readTime().getAsDouble()) + " of a thread's time";
    }

    /** The share of a disk's time in which it was busy, of the busiest. */
    OptionalDouble busy() {
        return instance.all(Groups.DISK, "busy-ms-total").stream()
                .filter(series -> series.seconds() > 0)
                .mapToDouble(series -> series.rate() / 1e3)
                .max();
    }

    /** Hits of the block caches for data, the mean of the stores that read blocks. */
    OptionalDouble hits() {
        return readStores().stream().mapToDouble(Series::last).average();
    }

    /**
     * The hit ratios of the stores that read blocks. A store that read none shows 0, which says nothing: it was not
     * read, has nothing on disk yet, or found all in its write buffer.
     */
    List<Series> readStores() {
        return instance.all(StreamsMetric.DATA_HITS).stream()
                .filter(hits -> hits.max() > 0 || readsBlocks(hits))
                .toList();
    }

    private boolean readsBlocks(Series store) {
        return of(store, StreamsMetric.BYTES_READ).map(Series::max).orElse(0.0) > 0
                && of(store, StreamsMetric.SST_BYTES).map(Series::last).orElse(1.0) > 0
                && of(store, StreamsMetric.MEMTABLE_HITS).map(Series::last).orElse(0.0) < 1;
    }

    /** Another number of the same store. */
    private Optional<Series> of(Series store, StreamsMetric metric) {
        return instance.seen()
                .one(
                        store.source(),
                        Metric.of(
                                metric.group(), metric.metric(), store.metric().tags()));
    }

    /**
     * Whether RocksDB's statistics are of a time before this one: a store was written, and they have no byte of that.
     * They come once a minute, and show 0 until then.
     */
    boolean isBeforeStatistics() {
        return instance.all(StreamsMetric.ACTIVE_MEMTABLE).stream()
                .filter(buffer -> buffer.max() > buffer.min())
                .flatMap(buffer -> of(buffer, StreamsMetric.BYTES_WRITTEN).stream())
                .anyMatch(told -> told.max() == 0);
    }

    Answer missesMuch() {
        return Answer.of(hits(), hits -> hits < limits.of(Threshold.BLOCK_CACHE_HITS));
    }

    OptionalDouble memoryLimit() {
        return instance.sum(Groups.CGROUP, "memory-max-bytes");
    }

    /** What the page cache can have at most: the memory limit without what processes hold. */
    OptionalDouble pageRoom() {
        OptionalDouble held = instance.sum(Groups.CGROUP, "memory-anon-bytes");
        return memoryLimit().isEmpty() || held.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(Math.max(0, memoryLimit().getAsDouble() - held.getAsDouble()));
    }

    /** The share of the state on disk for which the page cache has room; at least 1 if there is no state. */
    OptionalDouble pageShare() {
        OptionalDouble state = instance.sum(StreamsMetric.SST_BYTES);
        return pageRoom().isEmpty() || state.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(state.getAsDouble() == 0 ? 1 : pageRoom().getAsDouble() / state.getAsDouble());
    }

    /** Whether the page cache has no room for enough of the state. */
    Answer pagesFew() {
        return Answer.of(pageShare(), share -> share < limits.of(Threshold.PAGE_CACHE_SHARE));
    }

    /** Whether the memory limit is reached with less than the state in the page cache. */
    Answer pagesFull() {
        OptionalDouble used = instance.sum(Groups.CGROUP, "memory-current-bytes");
        OptionalDouble pages = instance.sum(Groups.CGROUP, "memory-file-bytes");
        OptionalDouble state = instance.sum(StreamsMetric.SST_BYTES);
        if (used.isEmpty() || memoryLimit().isEmpty() || pages.isEmpty() || state.isEmpty()) {
            return Answer.NOT_KNOWN;
        }
        return used.getAsDouble()
                                >= limits.of(Threshold.MEMORY_SHARE)
                                        * memoryLimit().getAsDouble()
                        && pages.getAsDouble() < state.getAsDouble()
                ? Answer.YES
                : Answer.NO;
    }

    /**
     * Bytes that a store's write buffer reaches at most, the mean of those that are written: the highest seen, and what
     * it can have grown until the next look.
     */
    OptionalDouble buffer() {
        return written().stream()
                .mapToDouble(series -> series.max() + highestRise(series))
                .average();
    }

    /**
     * Flushes in a minute of the store that is flushed most often. At most one between two samples is seen, so what the
     * process writes counts too: a byte is written some times, and not more, until compaction leaves it alone.
     */
    OptionalDouble flushes() {
        OptionalDouble seen = seenFlushes();
        if (seen.isEmpty() || buffer().isEmpty() || ownWrites().isEmpty()) {
            return seen;
        }
        double least = ownWrites().getAsDouble() / MOST_WRITES_A_BYTE / instance.stores() / buffer().getAsDouble() * 60;
        return OptionalDouble.of(Math.max(seen.getAsDouble(), least));
    }

    /** The share of the looks in which a full write buffer waited to be flushed, in the store where most did. */
    double waitingFlushes() {
        double worst = 0;
        for (StreamsMetric metric : List.of(StreamsMetric.FULL_MEMTABLES, StreamsMetric.FLUSH_PENDING)) {
            for (Series series : instance.all(metric)) {
                long looks = series.points().stream()
                        .filter(point -> point.value() > 0)
                        .count();
                worst = Math.max(worst, (double) looks / series.points().size());
            }
        }
        return worst;
    }

    private OptionalDouble seenFlushes() {
        return instance.all(StreamsMetric.ACTIVE_MEMTABLE).stream()
                .filter(series -> series.seconds() > 0)
                .mapToDouble(series -> series.falls() * 60 / series.seconds())
                .max();
    }

    private List<Series> written() {
        return instance.all(StreamsMetric.ACTIVE_MEMTABLE).stream()
                .filter(series -> series.falls() > 0)
                .toList();
    }

    private static double highestRise(Series series) {
        double highest = 0;
        for (int i = 1; i < series.points().size(); i++) {
            highest = Math.max(
                    highest,
                    series.points().get(i).value() - series.points().get(i - 1).value());
        }
        return highest;
    }

    /** Whether write buffers are small and flushed often. */
    Answer flushesMuch() {
        if (flushes().isEmpty()) {
            return Answer.NOT_KNOWN;
        }
        return flushes().getAsDouble() > limits.of(Threshold.FLUSHES)
                        && buffer().orElse(Double.MAX_VALUE) < limits.of(Threshold.WRITE_BUFFER)
                ? Answer.YES
                : Answer.NO;
    }
}
