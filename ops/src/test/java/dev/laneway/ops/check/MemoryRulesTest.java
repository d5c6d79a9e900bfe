package dev.laneway.ops.check;

import static dev.laneway.ops.check.Made.GIB;
import static dev.laneway.ops.check.Made.MIB;
import static dev.laneway.ops.check.Made.buffer;
import static dev.laneway.ops.check.Made.busy;
import static dev.laneway.ops.check.Made.heap;
import static dev.laneway.ops.check.Made.hits;
import static dev.laneway.ops.check.Made.memory;
import static dev.laneway.ops.check.Made.reads;
import static dev.laneway.ops.check.Made.smallBuffer;
import static dev.laneway.ops.check.Made.state;
import static dev.laneway.ops.check.Made.store;
import static dev.laneway.ops.check.Made.stores;
import static dev.laneway.ops.check.Made.streams;
import static dev.laneway.ops.check.Made.streamsAt;
import static dev.laneway.ops.check.RuleCase.fail;
import static dev.laneway.ops.check.RuleCase.ok;
import static dev.laneway.ops.check.RuleCase.unknown;
import static dev.laneway.ops.check.RuleCase.warn;
import static dev.laneway.ops.check.RuleId.M1;
import static dev.laneway.ops.check.RuleId.M2;
import static dev.laneway.ops.check.RuleId.M3;
import static dev.laneway.ops.check.RuleId.M4;
import static dev.laneway.ops.check.RuleId.M5;
import static dev.laneway.ops.check.RuleId.M6;
import static dev.laneway.ops.check.RuleId.M7;
import static dev.laneway.ops.check.RuleId.M8;
import static dev.laneway.ops.check.RuleId.M9;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.observe.Groups;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MemoryRulesTest {
    private static final String OTHER_THREAD = "rocksdb-state-id=s,task-id=0_1,thread-id=u";

    private static Seen jvm() {
        return Seen.of("pid 1");
    }

    static Stream<RuleCase> collections() {
        return Stream.of(
                ok(M1, "little time", heap(jvm(), 1000, 500, 0, 100, 200)),
                ok(M1, "exactly at the limit", heap(jvm(), 1000, 500, 0, 500, 1000)),
                warn(M1, "over the limit", heap(jvm(), 1000, 500, 0, 501, 1010), Cause.GC),
                warn(M1, "exactly at the severe limit", heap(jvm(), 1000, 500, 0, 2000, 4000), Cause.GC),
                fail(M1, "over the severe limit", heap(jvm(), 1000, 500, 0, 2010, 4020), Cause.GC),
                warn(M1, "full and slow", heap(jvm(), 1000, 900, 0, 600, 1200), Cause.SMALL_HEAP),
                fail(M1, "full and very slow", heap(jvm(), 1000, 900, 0, 4000, 8000), Cause.SMALL_HEAP),
                fail(M1, "full by the limit, not over it", heap(jvm(), 1000, 850, 0, 4000, 8000), Cause.GC),
                warn(M1, "full and not slow yet", heap(jvm(), 1000, 900, 0, 1, 2), Cause.SMALL_HEAP),
                fail(
                        M1,
                        "seen once, slow since its start",
                        heap(jvm(), 1000, 900, 9_000).number(Groups.JVM, "uptime-ms", 30_000),
                        Cause.SMALL_HEAP),
                unknown(
                        M1,
                        "seen once, just started",
                        heap(jvm(), 1000, 900, 900).number(Groups.JVM, "uptime-ms", 3_000)),
                fail(
                        M1,
                        "no old collection seen, always in use",
                        heap(jvm(), 1000, 0, 0, 4000, 8000)
                                .number(Groups.JVM, "heap-used-bytes", 900 * MIB, 950 * MIB, 920 * MIB),
                        Cause.SMALL_HEAP),
                fail(
                        M1,
                        "no old collection seen, mostly free once",
                        heap(jvm(), 1000, 0, 0, 4000, 8000)
                                .number(Groups.JVM, "heap-used-bytes", 900 * MIB, 100 * MIB, 920 * MIB),
                        Cause.GC),
                ok(
                        M1,
                        "ZGC works beside the threads",
                        heap(jvm(), 1000, 500, 0, 10, 20)
                                .number(Groups.JVM, "gc-time-ms-total", "gc=ZGC Major Cycles", 0, 9000, 18_000)),
                ok(M1, "the counter starts anew", heap(jvm(), 1000, 500, 90_000, 100, 200)),
                warn(
                        M1,
                        "the worst of two processes",
                        heap(heap(jvm(), 1000, 500, 0, 1, 2).and("pid 2"), 1000, 500, 0, 600, 1200),
                        Cause.GC),
                unknown(M1, "one sample", heap(jvm(), 1000, 500, 100)),
                unknown(M1, "not a number", heap(jvm(), 1000, 500, 100, Double.NaN, Double.NaN)),
                unknown(M1, "no JVM", Seen.of("admin").number(Groups.GROUP, "members", 1)),
                warn(M1, "another limit", heap(jvm(), 1000, 500, 0, 100, 200), Cause.GC)
                        .with(Threshold.GC_SHARE, 0.001));
    }

    private static Seen bounded(Seen seen, double limitMib) {
        return memory(heap(seen, 512, 100, 0, 1), limitMib, 100, 10, 90);
    }

    private static Seen glibc() {
        return store().text(Groups.PROCESS, "allocator", "", "glibc");
    }

    static Stream<RuleCase> nativeMemory() {
        Seen killed = bounded(stores(streams(), 4, 50 * MIB), 4096).number(Groups.CGROUP, "oom-kills-total", 1, 2, 2);
        Seen jemalloc = store().text(Groups.PROCESS, "allocator", "", "jemalloc");
        return Stream.of(
                ok(M2, "no store", bounded(streams(), 1024)),
                ok(M2, "unbounded, and all of it fits", bounded(stores(streams(), 4, 50 * MIB), 768 + 4 * 98)),
                warn(M2, "unbounded, a MiB too much", bounded(stores(streams(), 4, 50 * MIB), 767 + 4 * 98), null),
                warn(
                        M2,
                        "two segments have two caches and buffers of both",
                        bounded(stores(streams(), 1, 100 * MIB), 767 + 2 * 98)
                                .text(Groups.CONFIG, "application.id", "client-id=a", "orders"),
                        null),
                ok(M2, "one shared cache is told by each store", bounded(stores(streams(), 30, GIB), 768 + 1024)),
                warn(M2, "a shared cache that is too large", bounded(stores(streams(), 30, GIB), 767 + 1024), null),
                ok(
                        M2,
                        "a shared cache of the usual size",
                        bounded(stores(streams(), 30, 50 * MIB), 1024)
                                .text(Groups.CONFIG, "application.id", "client-id=a", "orders")
                                .text(Groups.CONFIG, "rocksdb.config.setter", "client-id=a", "x.Shared")),
                warn(
                        M2,
                        "no setter, though the caches have another size",
                        bounded(stores(streams(), 30, 60 * MIB), 1024)
                                .text(Groups.CONFIG, "application.id", "client-id=a", "orders"),
                        null),
                fail(M2, "killed by the kernel", killed, null),
                unknown(M2, "no memory limit", heap(stores(streams(), 4, 50 * MIB), 512, 100, 0, 1)),
                unknown(M2, "no heap", memory(stores(streams(), 4, 50 * MIB), 1024, 1, 1, 1)),
                unknown(M2, "the group alone", Seen.of("admin").number(Groups.GROUP, "members", 1)),
                ok(M3, "jemalloc", jemalloc),
                ok(M3, "no store", streams()),
                ok(M3, "no Kafka Streams", heap(jvm(), 1000, 500, 0, 1)),
                warn(M3, "glibc", glibc(), null),
                fail(M3, "glibc and killed", glibc().number(Groups.CGROUP, "oom-kills-total", 0, 1, 3), null),
                unknown(M3, "not told", store()),
                ok(M9, "few", stores(streams(), 3, MIB)),
                ok(M9, "exactly at the limit", stores(streams(), 30, MIB)),
                warn(M9, "one more", stores(streams(), 31, MIB), null),
                warn(M9, "many, and memory left", memory(stores(streams(), 60, MIB), 1000, 950, 500, 450), null),
                fail(M9, "many, and no memory left", memory(stores(streams(), 51, MIB), 1000, 950, 10, 940), null),
                warn(M9, "not so many", memory(stores(streams(), 50, MIB), 1000, 950, 10, 940), null),
                unknown(M9, "nobody inside", Seen.of("admin").number(Groups.GROUP, "members", 1)));
    }

    private static Seen inMemory(Seen seen) {
        return seen.number("stream-state-metrics", "num-keys", "in-memory-state-id=m,task-id=0_0", 1e6);
    }

    private static Seen recordCache(double hits) {
        return streamsAt(1).number("stream-record-cache-metrics", "hit-ratio-avg", "record-cache-id=c", hits);
    }

    static Stream<RuleCase> caches() {
        return Stream.of(
                ok(M4, "nothing in memory", heap(streamsAt(1), 1000, 900, 0, 1)),
                ok(M4, "fits, exactly", inMemory(heap(streams(), 1000, 850, 0, 1))),
                warn(M4, "hardly fits", inMemory(heap(streams(), 1000, 860, 0, 1)), Cause.SMALL_HEAP),
                fail(M4, "collections take the time", inMemory(heap(streams(), 1000, 860, 0, 900)), Cause.SMALL_HEAP),
                unknown(M4, "no heap seen", inMemory(streams())),
                unknown(M4, "full at INFO, suppress() may be it", heap(streams(), 1000, 900, 0, 1)),
                ok(M5, "hits", busy(recordCache(0.51), 0.9)),
                ok(M5, "half are no hits, but the disk has room", recordCache(0.5)),
                ok(M5, "the disk is busy by the limit", busy(recordCache(0.5), 0.8)),
                fail(M5, "half are no hits, and the disk is busy", busy(recordCache(0.5), 0.81), null),
                warn(M5, "half are no hits, and the disk is read", reads(recordCache(0.5), 500, 1000), null),
                ok(M5, "no cache at DEBUG", streamsAt(1)),
                unknown(M5, "INFO", streams()),
                unknown(
                        M5,
                        "not a number",
                        streams()
                                .number(
                                        "stream-record-cache-metrics",
                                        "hit-ratio-avg",
                                        "record-cache-id=c",
                                        Double.NaN)),
                ok(M6, "hits", reads(hits(store(), 0.9), 5000, 1000)),
                ok(M6, "exactly enough", reads(hits(store(), 0.5), 5000, 1000)),
                ok(M6, "misses, from the page cache", reads(hits(store(), 0.2), 20, 1000)),
                ok(M6, "exactly few reads", reads(hits(store(), 0.2), 100, 10)),
                ok(M6, "exactly few reads a record", reads(hits(store(), 0.2), 200, 2000)),
                fail(M6, "misses, from the disk", reads(hits(store(), 0.21), 2000, 10_000), Cause.READ_MEMORY),
                fail(M6, "misses that take a fifth of the time, and more", missing(500, 401), Cause.READ_MEMORY),
                ok(M6, "misses that take exactly a fifth of the time", missing(500, 400)),
                fail(
                        M6,
                        "gets are few, but scans take the time",
                        missing(500, 10)
                                .number("stream-state-metrics", "range-rate", Made.store(0), 1, 1)
                                .number("stream-state-metrics", "range-latency-avg", Made.store(0), 3e8, 3e8),
                        Cause.READ_MEMORY),
                ok(
                        M6,
                        "misses that take a fifth of two threads' time",
                        missing(500, 390)
                                .number("stream-state-metrics", "get-rate", OTHER_THREAD, 500, 500)
                                .number("stream-state-metrics", "get-latency-avg", OTHER_THREAD, 39e4, 39e4)),
                fail(M6, "misses, and no time of a read is recorded", missing(0, Double.NaN), Cause.READ_MEMORY),
                ok(M6, "misses that take the time of a disk that may", missing(500, 1000))
                        .with(Threshold.READ_TIME, 0.5),
                warn(M6, "misses, the disk is not seen", hits(store(), 0.2), null),
                ok(
                        M6,
                        "an idle store shows 0",
                        reads(
                                store().number("stream-state-metrics", "block-cache-data-hit-ratio", Made.store(0), 0),
                                2000,
                                1000)),
                unknown(M6, "the disk is read, and statistics have not come yet", written(2000, 0)),
                ok(M6, "statistics have come, and tell of no block", written(2000, 1e6)),
                ok(M6, "statistics have not come yet, and the disk is not read", written(20, 0)),
                ok(
                        M6,
                        "all is found in the write buffer",
                        hits(store(), 0).number("stream-state-metrics", "memtable-hit-ratio", Made.store(0), 1)),
                ok(M6, "nothing is on disk yet", state(hits(store(), 0), 0)),
                warn(M6, "no hit at all", state(hits(store(), 0), 5), null),
                ok(M6, "no store", streams()),
                unknown(M6, "INFO", stores(streams(), 1, MIB)),
                unknown(M6, "INFO, with a value that is never recorded", hits(stores(streams(), 1, MIB), 0)),
                unknown(M6, "the level is not told, nor any hit", reads(hits(levelNotTold(), 0), 2000, 1000)),
                fail(
                        M6,
                        "the level is not told, but hits are",
                        reads(hits(levelNotTold(), 0.2), 2000, 1000),
                        Cause.READ_MEMORY),
                unknown(M6, "nobody inside", Seen.of("admin").number(Groups.GROUP, "members", 1)),
                ok(M7, "large and seldom flushed", buffer(store(), 4, 10, 16, 2)),
                ok(M7, "grows only", buffer(store(), 1, 2, 3, 4)),
                ok(M7, "small, as often as is fine", buffer(store().every(2.5), 3, 1, 3)),
                ok(M7, "often, but large", buffer(store().every(2), 10, 2, 12, 3, 14)),
                warn(M7, "small and often", smallBuffer(store()), Cause.WRITE_MEMORY),
                fail(M7, "small, often, the disk is busy", busySmallBuffer(), Cause.WRITE_MEMORY),
                fail(
                        M7,
                        "small, often, writes are held up",
                        smallBuffer(store())
                                .number("stream-state-metrics", "write-stall-duration-total", Made.store(0), 0, 5000),
                        Cause.WRITE_MEMORY),
                warn(
                        M7,
                        "large, writes are held up",
                        buffer(store(), 4, 10, 16, 2)
                                .number("stream-state-metrics", "write-stall-duration-total", Made.store(0), 0, 5000),
                        null),
                fail(
                        M7,
                        "small, often, and full ones wait",
                        smallBuffer(store())
                                .number("stream-state-metrics", "num-immutable-mem-table", Made.store(0), 2, 1, 2),
                        Cause.WRITE_MEMORY),
                warn(
                        M7,
                        "small, and more is written than samples can show",
                        buffer(store(), 1, 0.5, 1)
                                .number(Groups.PROCESS, "written-bytes-total", 0, 200 * 10 * MIB, 200 * 20 * MIB),
                        Cause.WRITE_MEMORY),
                ok(M7, "no store", streams()),
                unknown(M7, "one sample", buffer(store(), 3)),
                ok(M8, "reads are few", pages(20, 1000)),
                fail(M8, "no room, many reads", pages(2000, 10_000), Cause.READ_MEMORY),
                warn(M8, "no room, reads not seen", state(memory(store(), 4096, 4090, 500, 3500), 24_000), null),
                ok(M8, "no room, many reads that take little time", Made.gets(pages(2000, 10_000), 5_000, 20)),
                ok(M8, "room for a tenth", reads(state(memory(store(), 4096, 3000, 500, 1696), 24_000), 2000, 100)),
                fail(
                        M8,
                        "room for a part, and it is full",
                        reads(state(memory(store(), 10_000, 9000, 5000, 4000), 24_000), 2000, 100),
                        Cause.READ_MEMORY),
                ok(
                        M8,
                        "full of all of the state",
                        reads(state(memory(store(), 10_000, 9900, 5000, 4000), 5000), 2000, 100)),
                ok(M8, "no store", streams()),
                unknown(M8, "no cgroup", state(store(), 1000)));
    }

    /** A store that is written, with reads from disk and what statistics tell of the writes, both a second. */
    private static Seen written(double reads, double told) {
        return reads(buffer(store(), 1, 2, 3), reads, 1000)
                .number("stream-state-metrics", "block-cache-data-hit-ratio", Made.store(0), 0, 0, 0)
                .number("stream-state-metrics", "bytes-written-rate", Made.store(0), 0, told, told);
    }

    /** A store whose block cache misses, with gets that are so many a second, and take so many microseconds each. */
    private static Seen missing(double rate, double micros) {
        return Made.gets(reads(hits(store(), 0.2), 2000, 1000), rate, micros);
    }

    private static Seen levelNotTold() {
        return stores(Seen.of("pid 1"), 1, 64 * MIB);
    }

    private static Seen busySmallBuffer() {
        return smallBuffer(store()).number(Groups.DISK, "busy-ms-total", "device=d", 0, 1900, 3800);
    }

    private static Seen pages(double reads, double records) {
        return reads(state(memory(store(), 4096, 4090, 500, 3500), 24_000), reads, records);
    }

    @ParameterizedTest
    @MethodSource({"collections", "nativeMemory", "caches"})
    @DisplayName("B83 Rules about memory judge what was seen")
    void judges(RuleCase row) {
        row.check(MemoryRules.all());
    }

    @Test
    @DisplayName("B83 A rule that needs the level DEBUG says so at INFO, and names the process")
    void howToSee() {
        Finding found = unknown(M6, "INFO", stores(streams(), 1, MIB)).check(MemoryRules.all());
        assertThat(found.recommendation()).contains("metrics.recording.level=DEBUG", "pid 1");
    }

    @Test
    @DisplayName("B83 Findings quote the numbers and the remedy")
    void words() {
        Finding found = fail(M1, "full", heap(jvm(), 1000, 900, 0, 4000, 8000), Cause.SMALL_HEAP)
                .check(MemoryRules.all());
        assertThat(found.diagnosis())
                .isEqualTo("40% of the time goes into garbage collection because 90% of the heap of pid 1 is live"
                        + " after a collection.");
        assertThat(found.recommendation()).contains("pid 1", "1000 MiB", "-Xmx");
        assertThat(found.confidence()).isEqualTo(Confidence.HIGH);
        assertThat(found.evidence())
                .contains("pid 1: jvm/gc-time-ms-total{gc=G1 Young Generation} grew by 8,000 in 20 s");
    }

    @Test
    @DisplayName("B83 Sixteen MiB a store is what the remedy for small write buffers gives")
    void remedy() {
        Seen seen = smallBuffer(stores(streamsAt(1), 32, 64 * MIB));
        assertThat(warn(M7, "32 stores", seen, Cause.WRITE_MEMORY)
                        .check(MemoryRules.all())
                        .recommendation())
                .contains("512 MiB", "16 MiB", "32 stores");
    }
}
