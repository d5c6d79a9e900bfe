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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Gives a group a steady load; a second member joins at a third of the time and leaves at two thirds. The longest that
 * a record waited, from when it was meant to be sent to the end of its handler, is the stall; records that were handled
 * again are duplicates.
 */
final class RebalanceWorkload implements Workload {
    private static final Duration JOIN_LIMIT = Duration.ofMinutes(1);
    private static final Duration END_LIMIT = Duration.ofMinutes(1);
    private static final int KEYS = 1_000;

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        Peer peer = Peers.of(spec.peer());
        String topic = spec.group();
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            admin.create(topic, spec.partitions());
            try {
                return run(spec, peer, topic);
            } finally {
                admin.delete(topic);
            }
        }
    }

    private static ArmResult run(ArmSpec spec, Peer peer, String topic) throws Exception {
        long rate = spec.number("send-rate");
        int records = Math.toIntExact(rate * spec.millis("measure-ms").toMillis() / 1_000);
        Meter meter = new Meter();
        try (SteadyLoad load =
                new SteadyLoad(spec.bootstrap(), topic, rate, records, index -> Math.floorMod(index, KEYS))) {
            Member second = new Member(() -> peer.start(task(spec, topic, load)));
            Peer.Running first = peer.start(task(spec, topic, load));
            try {
                load.sendOthers(1);
                SteadyLoad.await(List.of(first), () -> load.others() > 0, JOIN_LIMIT, "join");
                meter.start();
                load.sendAll(index -> {
                    if (index == records / 3) {
                        second.join();
                    }
                    if (index == 2 * records / 3) {
                        // Leaving takes long, and the sender must go on meanwhile.
                        Thread.ofPlatform().daemon().name("leaving").start(second::leave);
                    }
                });
                SteadyLoad.await(List.of(first), load::isComplete, END_LIMIT, "handle all records");
                meter.stop();
            } finally {
                first.close();
                second.leave();
            }
            Histogram latencies = load.latencies();
            return ArmResult.of(
                            meter, records, "each record at least once; from when it was due to the end of its handler")
                    .withLatency(latencies.getValueAtPercentile(50) / 1e6, latencies.getValueAtPercentile(99) / 1e6)
                    .withFigure("stall_ms", latencies.getMaxValue() / 1e6)
                    .withFigure("duplicates", load.duplicates());
        }
    }

    /** The one that comes and goes. Thread-safe. */
    private static final class Member {
        private final Callable<Peer.Running> start;
        private Peer.@Nullable Running running;

        Member(Callable<Peer.Running> start) {
            this.start = start;
        }

        synchronized void join() throws Exception {
            running = start.call();
        }

        void leave() {
            Peer.Running leaving;
            synchronized (this) {
                leaving = running;
                running = null;
            }
            if (leaving != null) {
                try {
                    leaving.close();
                } catch (Exception failed) {
                    throw new IllegalStateException("the second member does not leave", failed);
                }
            }
        }
    }

    private static Task task(ArmSpec spec, String topic, SteadyLoad load) {
        int concurrency = Math.toIntExact(spec.number("concurrency"));
        Probe probe = new Probe(Work.of(spec), null, load);
        return new Task(spec.bootstrap(), topic, spec.partitions(), topic, concurrency, Commits.BATCH, 100, probe);
    }
}
