package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Audit;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Work;
import dev.laneway.bench.peer.Peer;
import dev.laneway.bench.peer.Peers;
import java.time.Duration;

/** Consumes a topic of which one key is slow: its records wait, one after the other, while all others take no time. */
final class SlowKeyWorkload implements Workload {
    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        Peer peer = Peers.of(spec.peer());
        Duration slow = Duration.ofNanos(1_000 * spec.number("slow-us"));
        Meter meter = new Meter();
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            Audit audit = new Audit(
                    peer.order(StuckLap.task(spec, "", "", new Probe(Work.NONE, null))),
                    admin.ends(spec.topic(), spec.partitions()),
                    spec.keys());
            HangingKeys keys = new HangingKeys(1, slow, Duration.ZERO);
            keys.releaseAll();
            meter.start();
            StuckLap lap = new StuckLap(spec, peer, spec.group(), keys, audit, null);
            double othersSeconds = lap.awaitOthers(spec.millis("limit-ms"));
            long othersDone = lap.othersDone();
            double seconds = othersSeconds + lap.awaitAll(spec.millis("limit-ms"));
            meter.stop();
            double slowRate = keys.done() / seconds;
            ArmResult result = ArmResult.of(meter, 0, "audited; the rate is that of the other keys")
                    .withRate(othersDone / othersSeconds)
                    .withFigure("others_done_share", (double) othersDone / lap.others())
                    .withFigure("slow_rate", slowRate)
                    .withFigure("share_of_little", slowRate * slow.toNanos() / 1e9);
            String fault = lap.fault(audit);
            if (fault == null) {
                lap.end();
            }
            return result.withFailure(fault);
        }
    }
}
