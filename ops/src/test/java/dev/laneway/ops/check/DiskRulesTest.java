package dev.laneway.ops.check;

import static dev.laneway.ops.check.Made.GIB;
import static dev.laneway.ops.check.Made.busy;
import static dev.laneway.ops.check.Made.hits;
import static dev.laneway.ops.check.Made.memory;
import static dev.laneway.ops.check.Made.reads;
import static dev.laneway.ops.check.Made.smallBuffer;
import static dev.laneway.ops.check.Made.state;
import static dev.laneway.ops.check.Made.store;
import static dev.laneway.ops.check.Made.streams;
import static dev.laneway.ops.check.RuleCase.fail;
import static dev.laneway.ops.check.RuleCase.ok;
import static dev.laneway.ops.check.RuleCase.unknown;
import static dev.laneway.ops.check.RuleCase.warn;
import static dev.laneway.ops.check.RuleId.D1;
import static dev.laneway.ops.check.RuleId.D2;
import static dev.laneway.ops.check.RuleId.D3;
import static dev.laneway.ops.check.RuleId.D4;
import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.observe.Groups;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DiskRulesTest {
    private static final Seen NOBODY = Seen.of("admin").number(Groups.GROUP, "members", 1);

    /** Operations, half of them reads, and bytes, half of them written, both a second. */
    private static Seen disk(double operations, double bytes) {
        Seen seen = store();
        for (String name : new String[] {"reads-total", "writes-total"}) {
            seen.number(Groups.DISK, name, "device=d", 0, operations * 5, operations * 10);
        }
        for (String name : new String[] {"read-bytes-total", "written-bytes-total"}) {
            seen.number(Groups.DISK, name, "device=d", 0, bytes * 5, bytes * 10);
        }
        return seen;
    }

    private static Seen capped(Seen seen, String operations, String bytes) {
        return seen.text(Groups.CONFIG, "disk.iops.cap", "level=volume", operations)
                .text(Groups.CONFIG, "disk.bytes.cap", "level=volume", bytes);
    }

    static Stream<RuleCase> readings() {
        return Stream.of(
                ok(D1, "few", reads(store(), 30, 10_000)),
                ok(D1, "exactly few", reads(store(), 100, 1)),
                ok(D1, "exactly few a record", reads(store(), 1000, 10_000)),
                fail(D1, "many, and few hits", reads(hits(store(), 0.21), 3000, 10_000), Cause.READ_MEMORY),
                ok(
                        D1,
                        "many, and few hits, in little of the time",
                        Made.gets(reads(hits(store(), 0.21), 3000, 10_000), 5_000, 20)),
                fail(
                        D1,
                        "many, and no page cache",
                        reads(state(memory(store(), 4096, 4090, 500, 3500), 24_000), 3000, 10_000),
                        Cause.READ_MEMORY),
                warn(D1, "many, and the caches are not seen", reads(store(), 3000, 10_000), Cause.READ_MEMORY),
                fail(
                        D1,
                        "many by the process, past a cache that is smaller than its state",
                        own(state(reads(store(), 3000, 10_000), 24_000), 12e6, 0),
                        Cause.READ_MEMORY),
                warn(
                        D1,
                        "many by the process, as compaction reads",
                        own(state(reads(store(), 3000, 10_000), 24_000), 12e6, 11e6),
                        Cause.READ_MEMORY),
                ok(D1, "many by others", own(state(reads(store(), 3000, 10_000), 24_000), 4e4, 0)),
                warn(D1, "many, and many hits", reads(hits(store(), 0.9), 3000, 10_000), null),
                ok(D1, "many at another limit", reads(store(), 3000, 10_000)).with(Threshold.READS_PER_RECORD, 0.3),
                ok(
                        D1,
                        "the counter starts anew",
                        store().number(Groups.DISK, "reads-total", "device=d", 1e9, 100, 200)
                                .number("stream-thread-metrics", "process-total", "thread-id=t", 0, 10, 20)),
                ok(D1, "no store", reads(streams(), 3000, 10)),
                unknown(D1, "no disk", store()),
                unknown(D1, "one sample", store().number(Groups.DISK, "reads-total", "device=d", 5)),
                unknown(D1, "many, and no records", reads(store(), 3000, 0)),
                unknown(
                        D1,
                        "not a number",
                        store().number(Groups.DISK, "reads-total", "device=d", 5, Double.NaN, Double.NaN)),
                unknown(D1, "nobody inside", NOBODY),
                ok(D1, "another source tells of the machine", machine()));
    }

    /** Adds what the process itself reads and writes, both a second. */
    private static Seen own(Seen seen, double read, double written) {
        return seen.number(Groups.PROCESS, "read-bytes-total", 0, read * 10, read * 20)
                .number(Groups.PROCESS, "written-bytes-total", 0, written * 10, written * 20);
    }

    private static Seen machine() {
        return store().number("stream-thread-metrics", "process-total", "thread-id=t", 0, 10, 20)
                .and("host")
                .number(Groups.DISK, "reads-total", "device=d", 0, 10, 20);
    }

    static Stream<RuleCase> throughput() {
        return Stream.of(
                ok(D2, "room", capped(disk(1000, 50e6), "3000", "125e6")),
                ok(D2, "exactly at the limit", capped(disk(2400, 100e6), "3000", "125e6")),
                warn(D2, "near the cap of operations", capped(disk(2500, 10e6), "3000", "125e6"), Cause.DISK),
                warn(D2, "near the cap of bytes", capped(disk(100, 110e6), "3000", "125e6"), Cause.DISK),
                fail(D2, "exactly at the severe limit", capped(disk(2850, 10e6), "3000", "125e6"), Cause.DISK),
                fail(
                        D2,
                        "the machine allows less than the volume",
                        capped(disk(100, 140e6), "16000", "1000e6")
                                .text(Groups.CONFIG, "disk.bytes.cap", "level=instance", "143.75e6"),
                        Cause.DISK),
                fail(
                        D2,
                        "small write buffers",
                        capped(smallBuffer(disk(100, 25e6)), "3000", "125e6"),
                        Cause.WRITE_MEMORY),
                ok(D2, "no cap, seldom busy", busy(disk(2500, 10e6), 0.8)),
                warn(D2, "no cap, often busy", busy(disk(2500, 10e6), 0.99), Cause.DISK),
                unknown(D2, "a cap that is no number", capped(disk(100, 1), "many", "125e6")),
                unknown(D2, "a cap of 0", capped(disk(100, 1), "0", "125e6")),
                unknown(D2, "one sample", store().number(Groups.DISK, "busy-ms-total", "device=d", 5)),
                ok(D2, "no store", busy(streams(), 0.99)),
                ok(D3, "seldom busy", busy(store(), 0.5)),
                ok(D3, "exactly at the limit", busy(store(), 0.8)),
                warn(D3, "often busy", busy(store(), 0.81), Cause.DISK),
                fail(D3, "always busy", busy(store(), 0.95), Cause.DISK),
                warn(D3, "busy, in parallel", capped(busy(disk(1000, 10e6), 0.99), "3000", "125e6"), null),
                fail(D3, "busy and at its cap", capped(busy(disk(2900, 10e6), 0.99), "3000", "125e6"), Cause.DISK),
                unknown(D3, "not seen", store()),
                unknown(D3, "nobody inside", NOBODY),
                ok(D3, "no store", busy(streams(), 0.99)));
    }

    private static Seen volume(Seen seen, double... freeGib) {
        double[] free = new double[freeGib.length];
        double[] total = new double[freeGib.length];
        for (int i = 0; i < freeGib.length; i++) {
            free[i] = freeGib[i] * GIB;
            total[i] = 100 * GIB;
        }
        return seen.number(Groups.VOLUME, "free-bytes", "path=/state", free)
                .number(Groups.VOLUME, "total-bytes", "path=/state", total);
    }

    static Stream<RuleCase> space() {
        return Stream.of(
                ok(D4, "half full", volume(store(), 50)),
                ok(D4, "exactly at the limit", volume(store(), 20)).with(Threshold.VOLUME_SHARE, 1 - 20d / 100),
                warn(D4, "over the limit", volume(store(), 19), null),
                fail(D4, "as good as full", volume(store(), 4), Cause.DISK),
                fail(D4, "exactly at the severe limit", volume(store(), 0), Cause.DISK)
                        .with(Threshold.VOLUME_SHARE_SEVERE, 1),
                warn(D4, "will be full soon", volume(store().every(300), 50, 49.9, 49.8), null),
                ok(D4, "will be full, seen too shortly", volume(store().every(299), 50, 49.9, 49.8)),
                ok(D4, "gets emptier", volume(store().every(300), 50, 51, 52)),
                ok(
                        D4,
                        "another volume is full",
                        volume(store(), 50)
                                .text(Groups.CONFIG, "state.dir", "client-id=a", "/state/app")
                                .number(Groups.VOLUME, "free-bytes", "path=/", 0)
                                .number(Groups.VOLUME, "total-bytes", "path=/", GIB)),
                fail(
                        D4,
                        "a name that only begins alike",
                        volume(store(), 50)
                                .text(Groups.CONFIG, "state.dir", "client-id=a", "/state2")
                                .number(Groups.VOLUME, "free-bytes", "path=/", 0)
                                .number(Groups.VOLUME, "total-bytes", "path=/", GIB),
                        Cause.DISK),
                unknown(D4, "not seen", store()),
                unknown(
                        D4,
                        "which volume is not known",
                        volume(store(), 50)
                                .number(Groups.VOLUME, "free-bytes", "path=/", 0)
                                .number(Groups.VOLUME, "total-bytes", "path=/", GIB)),
                ok(D4, "no store", volume(streams(), 0)));
    }

    @ParameterizedTest
    @MethodSource({"readings", "throughput", "space"})
    @DisplayName("B83 Rules about disks judge what was seen")
    void judges(RuleCase row) {
        row.check(DiskRules.all());
    }

    @Test
    @DisplayName("B83 Without its caps a disk is judged by its busy time, with low confidence, and the finding says so")
    void withoutCaps() {
        Finding found =
                warn(D2, "busy", busy(disk(2500, 10e6), 0.99), Cause.DISK).check(DiskRules.all());
        assertThat(found.confidence()).isEqualTo(Confidence.LOW);
        assertThat(found.observed()).isEqualTo("the disk of pid 1 is busy 99% of the time; its caps are not known");
        assertThat(found.recommendation()).contains("disk.iops.cap", "disk.bytes.cap");
    }

    @Test
    @DisplayName("B83 The lower cap of volume and machine counts")
    void lowerCap() {
        Finding found = fail(
                        D2,
                        "machine",
                        capped(disk(100, 140e6), "16000", "1000e6")
                                .text(Groups.CONFIG, "disk.bytes.cap", "level=instance", "143.75e6"),
                        Cause.DISK)
                .check(DiskRules.all());
        assertThat(found.observed()).startsWith("97.4% of the disk's cap");
        assertThat(found.evidence()).contains("disk.bytes.cap = 143,750,000");
    }
}
