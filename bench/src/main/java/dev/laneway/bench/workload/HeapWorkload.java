package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.LiveHeap;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Task;
import dev.laneway.bench.measure.Work;
import dev.laneway.bench.peer.Peer;
import dev.laneway.bench.peer.Peers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets every handler hang on a topic that is far larger than the budgets, and compares the live heap with that of the
 * same consumer when it has nothing to read. Live heap is taken after a collection, since garbage says nothing about
 * the consumer.
 */
final class HeapWorkload implements Workload {
    private static final double MIB = 1 << 20;
    private static final long LOOK_NANOS = Duration.ofMillis(200).toNanos();
    private static final Duration JOIN_LIMIT = Duration.ofSeconds(30);
    private static final Duration FOR_EVER = Duration.ofDays(1);

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        Duration measured = spec.millis("measure-ms");
        String empty = spec.group() + "-empty";
        Meter meter = new Meter();
        double idle;
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            admin.create(empty, spec.partitions());
            try {
                idle = peak(spec, empty, false, measured);
            } finally {
                admin.delete(empty);
            }
        }
        meter.start();
        double stuck = peak(spec, spec.topic(), true, measured);
        meter.stop();
        double above = stuck - idle;
        return new ArmResult(
                        null,
                        null,
                        meter.seconds(),
                        meter.cpuSeconds(),
                        Meter.peakRssMb(),
                        null,
                        null,
                        null,
                        "every handler hangs; live heap, each 0.2 s after a collection",
                        Map.of())
                .withFigure("idle_heap_mib", idle)
                .withFigure("stuck_heap_mib", stuck)
                .withFigure("above_idle_mib", above)
                .withFigure("above_budget_mib", above - spec.number("budget-bytes") / MIB);
    }

    /** The most live heap at any look, in MiB. */
    private static double peak(ArmSpec spec, String topic, boolean isFull, Duration measured) throws Exception {
        Probe probe = new Probe(new Work(FOR_EVER, 1, false, null), null);
        Task task = new Task(
                spec.bootstrap(),
                topic,
                spec.partitions(),
                topic.equals(spec.topic()) ? spec.group() : topic,
                Math.toIntExact(spec.number("concurrency")),
                Commits.BATCH,
                1_000,
                probe);
        LiveHeap heap = new LiveHeap();
        Peer.Running running = Peers.of(spec.peer()).start(task);
        long start = System.nanoTime();
        long from = start;
        while (System.nanoTime() - from < measured.toNanos()) {
            running.check();
            if (isFull && probe.firstNanos() == 0) {
                from = System.nanoTime();
                if (from - start > JOIN_LIMIT.toNanos()) {
                    throw new IllegalStateException("handled nothing in " + JOIN_LIMIT.toSeconds() + " s");
                }
            }
            LockSupport.parkNanos(LOOK_NANOS);
            heap.look();
        }
        if (!isFull) {
            running.close();
        }
        // Closing would wait for the hanging handlers: the process ends instead.
        return heap.mostMib();
    }
}
