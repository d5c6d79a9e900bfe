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
import dev.laneway.cli.workload.Loader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.HdrHistogram.Histogram;

/**
 * A group of so many members joins while the topic has had records, all of them done; then a steady load comes whose
 * partitions are unlike. How late are records, and how much more does the fullest member have than the mean?
 */
final class SkewedGroupWorkload implements Workload {
    private static final Duration JOIN_LIMIT = Duration.ofMinutes(1);
    private static final Duration END_LIMIT = Duration.ofMinutes(2);
    private static final double ZIPF = 1;

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        String topic = spec.group();
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            admin.create(topic, spec.partitions());
            try {
                return run(spec, topic, admin);
            } finally {
                admin.delete(topic);
            }
        }
    }

    private static ArmResult run(ArmSpec spec, String topic, ArmAdmin admin) throws Exception {
        Peer peer = Peers.of(spec.peer());
        long rate = spec.number("send-rate");
        int records = Math.toIntExact(rate * spec.millis("measure-ms").toMillis() / 1_000);
        int keys = Math.toIntExact(spec.number("load-keys"));
        IntSupplier drawn = new Loader.Plan(topic, records, keys, ZIPF, 0, rate).drawn();
        Meter meter = new Meter();
        List<Peer.Running> members = new ArrayList<>();
        List<Probe> probes = new ArrayList<>();
        try (SteadyLoad load = new SteadyLoad(spec.bootstrap(), topic, rate, records, _ -> drawn.getAsInt())) {
            load.sendOthers(Math.toIntExact(spec.number("before")));
            admin.commitEnds(topic, topic, spec.partitions());
            try {
                for (int i = 0; i < spec.number("members"); i++) {
                    Probe probe = new Probe(Work.of(spec), null, load);
                    probes.add(probe);
                    members.add(peer.start(
                            new Task(spec.bootstrap(), topic, spec.partitions(), topic, 1, Commits.BATCH, 100, probe)));
                }
                SteadyLoad.await(
                        members, () -> admin.isShared(topic, members.size(), spec.partitions()), JOIN_LIMIT, "join");
                meter.start();
                load.sendAll(_ -> {});
                SteadyLoad.await(members, load::isComplete, END_LIMIT, "handle all records");
                meter.stop();
            } finally {
                for (Peer.Running member : members) {
                    member.close();
                }
            }
            double fullest = probes.stream().mapToLong(Probe::done).max().orElse(0);
            double mean = probes.stream().mapToLong(Probe::done).average().orElse(1);
            Histogram latencies = load.latencies();
            return ArmResult.of(meter, records, "from when a record was due to the end of its handler")
                    .withFailure(
                            load.duplicates() + load.others() > 0
                                    ? load.duplicates() + " records were handled again, and " + load.others()
                                            + " that were done before"
                                    : null)
                    .withLatency(latencies.getValueAtPercentile(50) / 1e6, latencies.getValueAtPercentile(99) / 1e6)
                    .withFigure("latest_ms", latencies.getMaxValue() / 1e6)
                    .withFigure("fullest_of_mean", fullest / mean);
        }
    }
}
