package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Task;
import dev.laneway.bench.measure.Work;
import dev.laneway.bench.peer.Peer;
import dev.laneway.bench.peer.Peers;
import dev.laneway.cli.workload.Payload;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets a consumer handle a topic behind one stuck record, kills it with {@code kill -9} when it has done and committed
 * all others, and starts it again without the stuck record: how many records are handled again?
 */
final class RestartWorkload implements Workload {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration JOIN_LIMIT = Duration.ofMinutes(1);
    private static final Duration FOR_EVER = Duration.ofHours(1);

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        long before = untilKilled(spec);
        if (before == 0) {
            return ArmResult.failed("handled nothing before it was killed");
        }
        Probe probe = new Probe(Work.NONE, null);
        Meter meter = new Meter();
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            meter.start();
            Peer.Running running = Peers.of(spec.peer()).start(task(spec, probe));
            try {
                long start = System.nanoTime();
                // The broker must first notice that the member has died.
                while (admin.uncommitted(spec.group(), spec.topic(), spec.partitions(), false) != null) {
                    running.check();
                    if (System.nanoTime() - start
                            > spec.millis("limit-ms").plus(JOIN_LIMIT).toNanos()) {
                        return ArmResult.failed("had not committed the end some time after the restart, with "
                                + probe.done() + " records handled");
                    }
                    LockSupport.parkNanos(LOOK.toNanos());
                }
                meter.stop();
            } finally {
                running.close();
            }
        }
        long repeated = before + probe.done() - spec.records();
        ArmResult taken = ArmResult.of(meter, probe.done(), "rate and time are those after the restart")
                .withFailure(repeated < 0 ? -repeated + " records were lost" : null);
        return taken.withFigure("done_before_kill", before)
                .withFigure("handled_after", probe.done())
                .withFigure("repeated", repeated);
    }

    static Task task(ArmSpec spec, Probe probe) {
        int concurrency = Math.toIntExact(spec.number("concurrency"));
        return new Task(
                spec.bootstrap(),
                spec.topic(),
                spec.partitions(),
                spec.group(),
                concurrency,
                Commits.BATCH,
                1_000,
                probe,
                Map.of("session.timeout.ms", 6_000, "heartbeat.interval.ms", 1_000));
    }

    /** Runs the first consumer in a process of its own; returns how many records it had handled. */
    private static long untilKilled(ArmSpec spec) throws Exception {
        return Victim.untilKilled(
                spec.doing(Workloads.STUCK), spec.millis("limit-ms").plus(JOIN_LIMIT));
    }

    /** The first consumer: prints its progress until it is killed. */
    static final class Stuck implements Workload, Work.Times {
        @Override
        public ArmResult run(ArmSpec spec) throws Exception {
            Probe probe = new Probe(new Work(FOR_EVER, 1, false, this), null);
            Peer.Running running = Peers.of(spec.peer()).start(task(spec, probe));
            return Victim.live(running, probe);
        }

        @Override
        public Duration of(byte[] value) {
            return Payload.of(value).index() == 0 ? FOR_EVER : Duration.ZERO;
        }

        @Override
        public void ended(byte[] value) {}
    }
}
