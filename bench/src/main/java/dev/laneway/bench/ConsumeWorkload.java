package dev.laneway.bench;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Consumes a loaded topic from its start, again and again, each time as a new group: first audited, then for warm-up,
 * then measured.
 *
 * <p>A lap begins before the consumer is made and ends when the last record is handled, or when its time is over: a
 * slow peer is measured over what it did by then. The join is in it, on all sides; closing is not. Short laps are taken
 * until {@code measure-ms} have passed, and the rate is that of all of them together.
 */
final class ConsumeWorkload implements Workload {
    private static final long LOOK_NANOS = 200_000;
    private static final Duration JOIN_LIMIT = Duration.ofSeconds(30);

    /** What a lap gave. Immutable. */
    private record Lap(String group, long records, long nanos, long workedNanos, boolean complete) {}

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            return run(spec, admin);
        }
    }

    private static ArmResult run(ArmSpec spec, ArmAdmin admin) throws Exception {
        Peer peer = Peers.of(spec.peer());
        Laps laps = new Laps(spec, peer, admin);
        List<Long> ends = admin.ends(spec.topic(), spec.partitions());
        long total = ends.stream().mapToLong(Long::longValue).sum();
        String failure = total == spec.records() ? null : "the topic holds " + total + " records";
        long warmUntil = System.nanoTime() + spec.millis("warm-ms").toNanos();
        Audit audit = new Audit(peer.order(laps.task("order", new Probe(Work.of(spec), null))), ends, spec.keys());
        Lap audited = laps.take(audit, spec.millis("measure-ms"), new Meter());
        failure = failure != null ? failure : laps.fault(audited, audit);
        int warm = 0;
        long most = spec.number("warm-laps", 8);
        while (warm < most && System.nanoTime() - warmUntil < 0) {
            laps.take(null, Duration.ofNanos(Math.max(1, warmUntil - System.nanoTime())), new Meter());
            warm++;
        }
        return measure(spec, laps, failure, (warm + 1) + " laps of warm-up");
    }

    private static ArmResult measure(ArmSpec spec, Laps laps, @Nullable String failure, String notes) throws Exception {
        Meter meter = new Meter();
        long records = 0;
        double worked = 0;
        boolean complete = true;
        String fault = failure;
        int count = 0;
        Duration limit = spec.millis("measure-ms");
        while (count == 0 || meter.seconds() < limit.toMillis() / 2e3) {
            Lap lap = laps.take(null, limit, meter);
            records += lap.records();
            worked += lap.workedNanos() / 1e9;
            complete &= lap.complete();
            fault = fault != null ? fault : laps.fault(lap, null);
            count++;
        }
        String said = notes + ", " + (complete ? count + " measured" : "cut off after its time") + laps.said();
        ArmResult result = ArmResult.of(meter, records, said).withFailure(fault);
        double workedRate = worked > 0 ? records / worked : 0;
        result = result.withFigure("steady_rate", workedRate);
        long little = spec.number("little", 0);
        return little == 0 ? result : result.withFigure("share_of_little", workedRate / little);
    }

    /** Takes laps with one peer. */
    private static final class Laps {
        private final ArmSpec spec;
        private final Peer peer;
        private final ArmAdmin admin;
        private int taken;

        Laps(ArmSpec spec, Peer peer, ArmAdmin admin) {
            this.admin = admin;
            this.spec = spec;
            this.peer = peer;
        }

        Task task(String group, Probe probe) {
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

        Lap take(@Nullable Audit audit, Duration limit, Meter meter) throws Exception {
            String group = spec.group() + "-" + taken++;
            Probe probe = new Probe(Work.of(spec), audit);
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

        /** What is wrong with a lap; null when nothing is. */
        @Nullable
        String fault(Lap lap, @Nullable Audit audit) throws Exception {
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

        /** What a reader must know of what this peer promises. */
        String said() {
            Task task = task("said", new Probe(Work.of(spec), null));
            boolean unasked = task.commits() == Commits.NONE && peer.commits(task);
            return ", order: " + peer.order(task).name().toLowerCase(Locale.ROOT)
                    + (unasked ? ", commits though nobody asks" : "");
        }
    }
}
