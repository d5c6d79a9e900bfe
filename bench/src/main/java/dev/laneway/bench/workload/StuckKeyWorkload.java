package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Audit;
import dev.laneway.bench.measure.LiveHeap;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Work;
import dev.laneway.bench.peer.Peer;
import dev.laneway.bench.peer.Peers;
import dev.laneway.cli.workload.Payload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Consumes a topic of which one key is stuck, and releases the key when all records of the other keys are done. The
 * first lap is audited record by record and shows heap and metadata. Then laps with and without the stuck key take
 * turns, and a bare loop reads the same log. A peer that leaves records of other keys undone has one lap of each.
 */
final class StuckKeyWorkload implements Workload {
    private static final double MIB = 1 << 20;
    private static final Duration IDLE = Duration.ofSeconds(2);
    /** For the lap without the stuck key of a peer that is slow, or has stalled. */
    private static final Duration SHORT = Duration.ofSeconds(10);

    private static final long LOOK_NANOS = Duration.ofMillis(200).toNanos();
    private static final Duration POLL = Duration.ofMillis(100);

    private final Meter meter = new Meter();
    private int taken;
    private double stuckSeconds;
    private double freeSeconds;
    private double refillSeconds;
    private double bareSeconds;
    private @Nullable String fault;

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        Peer peer = Peers.of(spec.peer());
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            List<Long> ends = admin.ends(spec.topic(), spec.partitions());
            Audit audit = new Audit(peer.order(StuckLap.task(spec, "", "", noProbe())), ends, spec.keys());
            double idle = idle(spec, peer, admin);
            LiveHeap heap = new LiveHeap();
            StuckLap first = new StuckLap(spec, peer, nextGroup(spec), stuck(spec), audit, heap);
            meter.start();
            double seconds = first.awaitOthers(spec.millis("limit-ms"));
            long done = first.othersDone();
            int chars = first.awaitMetadata(admin);
            ArmResult result;
            if (first.hasAllOthers()) {
                first.keys().releaseAll();
                first.awaitAll(spec.millis("limit-ms"));
                fault = first.fault(audit);
                first.end();
                meter.stop();
                result = compared(spec, peer);
            } else {
                meter.stop();
                result = leftUndone(spec, peer, first, done / seconds);
            }
            double above = heap.mostMib() - idle;
            return result.withFigure("others_done_share", (double) done / first.others())
                    .withFigure("metadata_chars", chars)
                    .withFigure("above_idle_mib", above)
                    .withFigure("above_budget_mib", above - spec.number("budget-bytes") / MIB);
        }
    }

    /** Laps in turns, after one of each that warms up. */
    private ArmResult compared(ArmSpec spec, Peer peer) throws Exception {
        long pairs = spec.number("pairs");
        bare(spec);
        free(spec, peer, spec.millis("limit-ms"));
        freeSeconds = 0;
        bareSeconds = 0;
        long others = 0;
        for (int pair = 0; pair < pairs && fault == null; pair++) {
            if (pair % 2 == 0) { // Neither always comes first.
                stuck(spec, peer);
            }
            others += free(spec, peer, spec.millis("limit-ms"));
            if (pair % 2 == 1) {
                stuck(spec, peer);
            }
            bare(spec);
        }
        ArmResult result = ArmResult.of(meter, 0, "the rate is that of the other keys; order: key, checked")
                .withFailure(fault);
        return fault != null
                ? result
                : result.withRate(others / stuckSeconds)
                        .withFigure("free_rate", others / freeSeconds)
                        .withFigure("share_of_free", freeSeconds / stuckSeconds)
                        .withFigure("refill_share_of_bare", bareSeconds / refillSeconds)
                        .withFigure("refill_s", refillSeconds / pairs);
    }

    private ArmResult leftUndone(ArmSpec spec, Peer peer, StuckLap lap, double rate) throws Exception {
        // Closing may wait for the stuck handler, and a released key would mix with what is measured next.
        String how = lap.hasStalled() ? "STALLED" : "not ready in time";
        String note = how + ": " + lap.othersDone() + " of " + lap.others() + " records of the other keys were done";
        lap.end();
        long others = free(spec, peer, SHORT);
        return ArmResult.of(meter, 0, note).withRate(rate).withFigure("free_rate", others / freeSeconds);
    }

    /** A lap without the stuck key; returns how many records of the other keys it has done. */
    private long free(ArmSpec spec, Peer peer, Duration limit) throws Exception {
        HangingKeys keys = stuck(spec);
        keys.releaseAll();
        StuckLap lap = new StuckLap(spec, peer, nextGroup(spec), keys, null, null);
        freeSeconds += lap.awaitOthers(limit);
        long others = lap.othersDone();
        lap.end();
        return others;
    }

    private void stuck(ArmSpec spec, Peer peer) throws Exception {
        HangingKeys keys = stuck(spec);
        StuckLap lap = new StuckLap(spec, peer, nextGroup(spec), keys, null, null);
        meter.start();
        stuckSeconds += lap.awaitOthers(spec.millis("limit-ms"));
        meter.stop();
        if (!lap.hasAllOthers()) {
            fault = "did " + lap.othersDone() + " of " + lap.others() + " records of the other keys in a later lap";
            return;
        }
        keys.releaseAll();
        refillSeconds += lap.awaitAll(spec.millis("limit-ms"));
        fault = lap.fault(null);
        if (fault == null) {
            lap.end();
        }
    }

    /** A bare loop over the log of the stuck key's partition, with a client that is made for it, as for the refill. */
    private void bare(ArmSpec spec) {
        long start = System.nanoTime();
        Map<String, Object> config =
                StuckLap.task(spec, spec.topic(), "", noProbe()).kafkaConfig();
        config.remove(ConsumerConfig.GROUP_ID_CONFIG);
        TopicPartition partition = new TopicPartition(
                spec.topic(), BuiltInPartitioner.partitionForKey(Payload.keyBytes(0), spec.partitions()));
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            while (consumer.position(partition) < end) {
                consumer.poll(POLL);
            }
            bareSeconds += (System.nanoTime() - start) / 1e9;
        }
    }

    /** The live heap beside the same consumer without records, in MiB. */
    private static double idle(ArmSpec spec, Peer peer, ArmAdmin admin) throws Exception {
        String empty = spec.group() + "-empty";
        LiveHeap heap = new LiveHeap();
        admin.create(empty, spec.partitions());
        Peer.Running running = peer.start(StuckLap.task(spec, empty, empty, noProbe()));
        for (long start = System.nanoTime(); System.nanoTime() - start < IDLE.toNanos(); ) {
            running.check();
            LockSupport.parkNanos(LOOK_NANOS);
            heap.look();
        }
        running.close();
        admin.delete(empty);
        return heap.mostMib();
    }

    private static Probe noProbe() {
        return new Probe(Work.NONE, null);
    }

    private static HangingKeys stuck(ArmSpec spec) {
        return new HangingKeys(1, Duration.ZERO, Duration.ofNanos(1_000 * spec.number("others-us", 0)));
    }

    private String nextGroup(ArmSpec spec) {
        return spec.group() + "-" + taken++;
    }
}
