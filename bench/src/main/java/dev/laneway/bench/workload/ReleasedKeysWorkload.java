package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Audit;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.peer.Peer;
import dev.laneway.bench.peer.Peers;
import dev.laneway.cli.workload.Loader;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * Consumes what is sent at a steady rate, while many keys are stuck and are released one after the other, the last with
 * the last record that is sent. All is audited.
 */
final class ReleasedKeysWorkload implements Workload {
    private static final int VALUE_BYTES = 100;
    private static final long LOOK_NANOS = 200_000;

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        String topic = spec.group() + "-live";
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            admin.create(topic, spec.partitions());
            try {
                return audited(spec.reading(topic, spec.number("load")));
            } finally {
                admin.delete(topic);
            }
        }
    }

    private static ArmResult audited(ArmSpec spec) throws Exception {
        int stuck = Math.toIntExact(spec.number("stuck-keys"));
        int all = Math.toIntExact(spec.number("load-keys"));
        Peer peer = Peers.of(spec.peer());
        HangingKeys keys = new HangingKeys(stuck, Duration.ZERO, Duration.ZERO);
        // How the records will be spread over the partitions is not known yet.
        Audit audit = new Audit(
                peer.order(StuckLap.task(spec, spec.topic(), spec.group(), new Probe(keys.work(), null))),
                Collections.nCopies(spec.partitions(), spec.records()),
                all);
        Probe probe = new Probe(keys.work(), audit);
        Meter meter = new Meter();
        Peer.Running running = peer.start(StuckLap.task(spec, spec.topic(), spec.group(), probe));
        meter.start();
        Loader loader = new Loader(
                Map.of("bootstrap.servers", spec.bootstrap()),
                new Loader.Plan(spec.topic(), spec.records(), all, 0, VALUE_BYTES, spec.number("send-rate")));
        CompletableFuture<Loader.Result> loading = CompletableFuture.supplyAsync(() -> loader.run(() -> false));
        int released = 0;
        while (!loading.isDone()) {
            running.check();
            while (released < stuck && loader.acknowledged() * stuck >= spec.records() * (released + 1)) {
                keys.release(released++);
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        loading.get();
        keys.releaseAll();
        long loaded = System.nanoTime();
        long behind = spec.records() - probe.done();
        while (probe.done() < spec.records()
                && System.nanoTime() - loaded < spec.millis("limit-ms").toNanos()) {
            running.check();
            LockSupport.parkNanos(LOOK_NANOS);
        }
        double catchUp = (System.nanoTime() - loaded) / 1e9;
        meter.stop();
        boolean complete = audit.ended() == spec.records();
        if (complete) {
            running.close();
        }
        ArmResult result = ArmResult.of(meter, audit.ended(), "audited; all records, sending included")
                .withFigure("done_share", (double) audit.ended() / spec.records())
                .withFigure("behind_at_release", behind)
                .withFigure("catch_up_s", catchUp);
        String fault = audit.violation();
        return fault != null || complete
                ? result.withFailure(fault)
                : result.noting("cut off: " + audit.ended() + " of " + spec.records() + " records were done");
    }
}
