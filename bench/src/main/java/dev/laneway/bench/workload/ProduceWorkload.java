package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.SendTask;
import dev.laneway.bench.peer.Peers;
import dev.laneway.bench.peer.Sender;
import java.time.Duration;

/**
 * Writes to a topic of its own in laps: first for warm-up, then measured. A lap begins before the producer is made, and
 * ends when the broker has acknowledged the last record. Afterwards the ends of the partitions must add up to what was
 * sent.
 */
final class ProduceWorkload implements Workload {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        if (!(Peers.of(spec.peer()) instanceof Sender sender)) {
            return ArmResult.failed(spec.peer() + " does not write");
        }
        String topic = spec.group();
        SendTask task = new SendTask(
                spec.bootstrap(),
                topic,
                spec.number("send-records"),
                Math.toIntExact(spec.number("size")),
                Math.toIntExact(spec.number("keys")),
                Math.toIntExact(spec.number("in-flight")),
                LIMIT);
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            admin.create(topic, spec.partitions());
            try {
                return run(spec, sender, task, admin);
            } finally {
                admin.delete(topic);
            }
        }
    }

    private static ArmResult run(ArmSpec spec, Sender sender, SendTask task, ArmAdmin admin) throws Exception {
        Meter warmUp = new Meter();
        int laps = 0;
        while (laps == 0 || warmUp.seconds() < spec.millis("warm-ms").toMillis() / 1e3) {
            lap(sender, task, warmUp);
            laps++;
        }
        Meter meter = new Meter();
        int measured = 0;
        while (measured == 0 || meter.seconds() < spec.millis("measure-ms").toMillis() / 1e3) {
            lap(sender, task, meter);
            measured++;
        }
        long sent = task.records() * (laps + measured);
        long written = admin.ends(task.topic(), spec.partitions()).stream()
                .mapToLong(Long::longValue)
                .sum();
        String notes =
                "laps of warm-up: " + laps + ", measured: " + measured + ", at most " + task.inFlight() + " in flight";
        return ArmResult.of(meter, task.records() * measured, notes)
                .withFailure(written == sent ? null : "the topic holds " + written + " records of " + sent);
    }

    private static void lap(Sender sender, SendTask task, Meter meter) throws Exception {
        meter.start();
        sender.send(task);
        meter.stop();
    }
}
