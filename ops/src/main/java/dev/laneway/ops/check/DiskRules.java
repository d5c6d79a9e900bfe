package dev.laneway.ops.check;

import dev.laneway.ops.check.StateLoad.Answer;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.BiFunction;

/** The rules about disks: D1 to D4. */
final class DiskRules {
    private DiskRules() {}

    static List<Rule> all() {
        return List.of(
                withStores(RuleId.D1, DiskRules::reads),
                withStores(RuleId.D2, DiskRules::throughput),
                withStores(RuleId.D3, DiskRules::busy),
                withStores(RuleId.D4, VolumeRules::space));
    }

    /** Others may use the disk of a process that keeps nothing on it. */
    private static Rule withStores(RuleId rule, BiFunction<Instance, Thresholds, Finding> one) {
        return new StreamsRule(
                rule,
                (instance, limits) -> instance.stores() == 0
                        ? Finding.fine(rule, "no RocksDB store in " + instance.source(), "", List.of())
                        : one.apply(instance, limits));
    }

    /** D1. */
    static Finding reads(Instance instance, Thresholds limits) {
        StateLoad load = new StateLoad(instance, limits);
        String source = instance.source();
        if (load.reads().isEmpty()) {
            return notSeen(RuleId.D1, instance);
        }
        Answer reads = load.readsMuch();
        if (reads == Answer.NOT_KNOWN) {
            return Finding.unknown(
                    RuleId.D1,
                    "The disk of " + source + " is read "
                            + Figures.number(load.reads().getAsDouble())
                            + " times a second, and no record was seen to be processed.",
                    "Watch " + source + " while it processes records, with --pid or with --jmx.");
        }
        double each = load.readsPerRecord().orElse(0);
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.D1,
                        Figures.number(load.reads().getAsDouble()) + " reads a second in " + source + ", "
                                + Figures.number(each) + " a record" + load.readTimeText(),
                        "at most " + Figures.number(limits.of(Threshold.READS_PER_RECORD)) + " a record, or "
                                + Figures.number(limits.of(Threshold.DISK_READS)) + " a second, or reads that take at"
                                + " most " + Figures.percent(limits.of(Threshold.READ_TIME)) + " of a thread's time")
                .evidence(CacheRules.diskReads(instance));
        if (reads == Answer.NO) {
            return judged.fine();
        }
        Answer misses = load.missesMuch();
        boolean pages = load.pagesFew() == Answer.YES || load.pagesFull() == Answer.YES;
        String reading = source + " reads its disk " + Figures.number(each) + " times a record";
        String remedy = "Give " + source + " more memory: for the page cache first, then for the block cache.";
        if (misses == Answer.YES || pages) {
            return judged.fail(
                            reading + ": "
                                    + (misses == Answer.YES
                                            ? "only "
                                                    + Figures.percent(
                                                            load.hits().orElse(0)) + " of block reads are hits."
                                            : "the page cache has room for "
                                                    + Figures.percent(
                                                            load.pageShare().orElse(0))
                                                    + " of the state and cannot hold what is read."),
                            remedy)
                    .because(Cause.READ_MEMORY, Confidence.HIGH);
        }
        if (misses == Answer.NOT_KNOWN && load.readsPastCache() == Answer.YES) {
            return judged.fail(
                            reading + ", " + Figures.bytes(load.ownReads().orElse(0)) + " a second: its block cache of "
                                    + Figures.bytes(load.cacheBytes()) + " cannot hold its "
                                    + Figures.bytes(instance.sum(StreamsMetric.SST_BYTES)
                                            .orElse(0))
                                    + " of state, nor does the page cache.",
                            remedy)
                    .because(Cause.READ_MEMORY, Confidence.MEDIUM);
        }
        return misses == Answer.NO
                ? judged.warn(
                        reading + " though " + Figures.percent(load.hits().orElse(0))
                                + " of block reads are hits: compaction, restoring or another process reads.",
                        "Look for what else reads the disk of " + source + ", such as with pidstat -d.")
                : judged.warn(
                                reading + "; the hits of its block caches are not seen.",
                                remedy + " " + instance.atDebug())
                        .because(Cause.READ_MEMORY, Confidence.LOW);
    }

    /** D2. */
    static Finding throughput(Instance instance, Thresholds limits) {
        StateLoad load = new StateLoad(instance, limits);
        DiskLoad disk = new DiskLoad(instance);
        if (disk.wrongCap().isPresent()) {
            return Finding.unknown(
                    RuleId.D2,
                    disk.wrongCap().get() + ", but must be a number above 0.",
                    "Give the lower of what the volume and the machine of " + instance.source()
                            + " allow, such as 3000 for " + DiskLoad.OPERATIONS_CAP + ".");
        }
        OptionalDouble share = disk.capShare();
        if (share.isEmpty() && load.busy().isEmpty()) {
            return notSeen(RuleId.D2, instance);
        }
        boolean capped = share.isPresent();
        double used = capped ? share.getAsDouble() : load.busy().getAsDouble();
        double most = limits.of(Threshold.DISK_SHARE);
        String observed = capped
                ? Figures.percent(used) + " of the disk's cap in " + instance.source() + ": "
                        + Figures.number(disk.operations().orElse(0)) + " operations and "
                        + Figures.bytes(disk.bytes().orElse(0)) + " a second"
                : "the disk of " + instance.source() + " is busy " + Figures.percent(used)
                        + " of the time; its caps are not known";
        FindingBuilder judged = FindingBuilder.of(RuleId.D2, observed, "at most " + Figures.percent(most))
                .evidence(disk.evidence());
        if (used <= most) {
            return judged.fine();
        }
        boolean severe = capped && used >= limits.of(Threshold.DISK_SHARE_SEVERE);
        FindingStatus status = severe ? FindingStatus.FAIL : FindingStatus.WARN;
        Confidence sure = !capped ? Confidence.LOW : severe ? Confidence.HIGH : Confidence.MEDIUM;
        if (load.flushesMuch() == Answer.YES) {
            return judged.evidence(WriteBufferRule.evidence(instance))
                    .bad(
                            status,
                            "The disk of " + instance.source() + " is at " + Figures.percent(used)
                                    + ", and write buffers of "
                                    + Figures.bytes(load.buffer().orElse(0)) + " make it write "
                                    + Figures.number(load.flushes().orElse(0)) + " times a minute for one store.",
                            "Raise the WriteBufferManager's limit in " + instance.source() + " to "
                                    + Figures.bytes(limits.of(Threshold.WRITE_BUFFER) * instance.stores())
                                    + " before a larger volume.")
                    .because(Cause.WRITE_MEMORY, sure);
        }
        return judged.bad(
                        status,
                        "The disk of " + instance.source() + " is at " + Figures.percent(used)
                                + (capped
                                        ? " of its cap."
                                        : " of its time, which on a disk that works in parallel need not be the end."),
                        capped
                                ? "Look at rules M6 to M8 for " + instance.source()
                                        + ", then give it a faster volume, or a machine that allows more."
                                : "Give the lower cap of volume and machine of " + instance.source() + " as "
                                        + DiskLoad.OPERATIONS_CAP + " and " + DiskLoad.BYTES_CAP + ".")
                .because(Cause.DISK, sure);
    }

    /** D3. */
    static Finding busy(Instance instance, Thresholds limits) {
        OptionalDouble busy = new StateLoad(instance, limits).busy();
        if (busy.isEmpty()) {
            return notSeen(RuleId.D3, instance);
        }
        DiskLoad disk = new DiskLoad(instance);
        double most = limits.of(Threshold.DISK_SHARE);
        String share = Figures.percent(busy.getAsDouble());
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.D3,
                        "the disk of " + instance.source() + " is busy " + share + " of the time",
                        "at most " + Figures.percent(most))
                .evidence(disk.evidence());
        if (busy.getAsDouble() <= most) {
            return judged.fine();
        }
        OptionalDouble cap = disk.capShare();
        if (cap.isPresent() && cap.getAsDouble() <= most) {
            return judged.warn(
                    "The disk of " + instance.source() + " is busy " + share + " of the time, with "
                            + Figures.percent(cap.getAsDouble()) + " of its cap: it works in parallel.",
                    "Leave the disk of " + instance.source() + " as it is unless the lag grows.");
        }
        boolean severe = busy.getAsDouble() >= limits.of(Threshold.DISK_SHARE_SEVERE);
        return judged.bad(
                        severe ? FindingStatus.FAIL : FindingStatus.WARN,
                        "The disk of " + instance.source() + " is busy " + share + " of the time"
                                + (cap.isPresent()
                                        ? " and at " + Figures.percent(cap.getAsDouble()) + " of its cap."
                                        : "; without its caps it is not known whether it could do more."),
                        "Look at reads (D1) and write buffers (M7) of " + instance.source()
                                + " first, then give it a faster volume.")
                .because(Cause.DISK, cap.isPresent() ? Confidence.HIGH : Confidence.LOW);
    }

    private static Finding notSeen(RuleId rule, Instance instance) {
        return Finding.unknown(
                rule,
                "What the disk of " + instance.source() + " does was not seen twice.",
                "Run check on the machine of " + instance.source() + " with --pid, for at least two samples.");
    }
}
