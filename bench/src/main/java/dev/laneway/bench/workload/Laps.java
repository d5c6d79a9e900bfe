package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Audit;
import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Task;
import dev.laneway.bench.measure.Work;
import dev.laneway.bench.peer.Peer;
import dev.laneway.bench.peer.Peers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs laps with one peer: each consumes a loaded topic from its start as a new group. Used by one thread.
 *
 * <p>A lap begins before the consumer is made and ends when the last record is handled, or when its time has passed: a
 * slow peer is measured by what it did until then. It includes joining the group, for all peers, and not the close.
 */
final class Laps {
    private static final long LOOK_NANOS = 200_000;
    private static final Duration JOIN_LIMIT = Duration.ofSeconds(30);
    /** Longer laps do not warm up the JIT compiler further. */
    private static final Duration WARM_LAP = Duration.ofSeconds(1);
    /** By how much a lap must be faster than the fastest before it to count as faster; less is noise. */
    private static final double FASTER = 1.03;
    /** The warm-up ends after this many laps in a row that were not faster. */
    private static final int ENOUGH = 2;

    private final ArmSpec spec;
    private final Peer peer;
    private final ArmAdmin admin;
    private final List<Long> ends;
    private int taken;

    Laps(ArmSpec spec, ArmAdmin admin) throws Exception {
        this.spec = spec;
        this.peer = Peers.of(spec.peer());
        this.admin = admin;
        this.ends = admin.ends(spec.topic(), spec.partitions());
    }

    /** The result of a lap. Immutable. */
    record Lap(String group, long records, long nanos, long workedNanos, boolean complete) {
        /** Records a second from the first record on. */
        double steadyRate() {
            return records / (workedNanos / 1e9);
        }
    }

    private Task task(String group, Probe probe) {
        return new Task(
                spec.bootstrap(),
                spec.topic(),
                spec.partitions(),
                group,
                Math.toIntExact(spec.number("concurrency", 16)),
                Commits.of(spec.text("commits")),
                Math.toIntExact(spec.number("max-poll-records", 1_000)),
                probe);
    }

    /** Runs a lap that is audited and not measured; returns what is wrong, or null. */
    @Nullable
    String audit(Duration limit) throws Exception {
        long total = ends.stream().mapToLong(Long::longValue).sum();
        if (total != spec.records()) {
            return "the topic holds " + total + " records";
        }
        Audit audit = new Audit(peer.order(task("order", new Probe(Work.of(spec), null))), ends, spec.keys());
        return fault(take(Work.of(spec), audit, limit, new Meter()), audit);
    }

    /** Runs laps while they become faster, at most for this long; returns how many. */
    int warm(Duration most) throws Exception {
        long end = System.nanoTime() + most.toNanos();
        double best = 0;
        int count = 0;
        for (int slower = 0; slower < ENOUGH && System.nanoTime() - end < 0; count++) {
            Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
            Lap lap = take(Work.of(spec), null, left.compareTo(WARM_LAP) < 0 ? left : WARM_LAP, new Meter());
            slower = lap.steadyRate() > best * FASTER ? 0 : slower + 1;
            best = Math.max(best, lap.steadyRate());
        }
        return count;
    }

    Lap take(Work work, Duration limit, Meter meter) throws Exception {
        return take(work, null, limit, meter);
    }

    private Lap take(Work work, @Nullable Audit audit, Duration limit, Meter meter) throws Exception {
        String group = spec.group() + "-" + taken++;
        Probe probe = new Probe(work, audit);
        Task task = task(group, probe);
        meter.start();
        long start = System.nanoTime();
        long nanos;
        long records;
        Peer.Running running = peer.start(task);
        try {
            while (probe.done() < spec.records() && !isOver(probe.firstNanos(), start, limit)) {
                running.check();
                LockSupport.parkNanos(LOOK_NANOS);
            }
            records = probe.done();
            nanos = meter.stop();
        } finally {
            running.close();
        }
        long first = probe.firstNanos();
        long worked = first == 0 ? nanos : Math.max(1, nanos - (first - start));
        return new Lap(group, records, nanos, worked, records >= spec.records());
    }

    /** The time of a lap begins with its first record: on a busy machine the first join takes long. */
    private static boolean isOver(long first, long start, Duration limit) {
        long now = System.nanoTime();
        return first == 0 ? now - start > JOIN_LIMIT.toNanos() : now - first > limit.toNanos();
    }

    /** What is wrong with a lap that was not audited; null if nothing is. */
    @Nullable
    String fault(Lap lap) throws Exception {
        return fault(lap, null);
    }

    private @Nullable String fault(Lap lap, @Nullable Audit audit) throws Exception {
        if (lap.records() == 0) {
            return "handled nothing in " + Duration.ofNanos(lap.nanos()).toMillis() + " ms";
        }
        if (lap.records() > spec.records()) {
            return "handled " + lap.records() + " records of " + spec.records();
        }
        String violation = audit == null ? null : audit.violation();
        if (violation != null) {
            return violation;
        }
        if (audit != null && lap.complete() && audit.ended() != spec.records()) {
            return "handled " + audit.ended() + " different records of " + spec.records();
        }
        return lap.complete() && peer.commits(task(lap.group(), new Probe(Work.of(spec), null)))
                ? admin.uncommitted(lap.group(), spec.topic(), spec.partitions(), isAhead())
                : null;
    }

    private boolean isAhead() {
        Commits commits = Commits.of(spec.text("commits"));
        return commits == Commits.POLL_AHEAD || commits == Commits.RECORD_AHEAD;
    }

    /** The notes on what this peer promises. */
    String said() {
        Task task = task("said", new Probe(Work.of(spec), null));
        boolean unasked = task.commits() == Commits.NONE && peer.commits(task);
        return ", order: " + peer.order(task).name().toLowerCase(Locale.ROOT)
                + (unasked ? ", commits though nobody asks" : "");
    }
}
