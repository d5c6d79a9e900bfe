package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.CopyTask;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Work;
import dev.laneway.bench.peer.Copier;
import dev.laneway.bench.peer.Peer;
import dev.laneway.bench.peer.Peers;
import dev.laneway.cli.workload.Payload;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a topic, computes and writes to another exactly once, in laps with new names: first for warm-up, then measured.
 * A lap ends when the offsets of all records are committed, or when its time has passed; then what was computed until
 * then counts. After a complete lap a reader of committed records must find each copy once, and the copies of a key in
 * order.
 */
final class CopyWorkload implements Workload {
    private static final Duration JOIN_LIMIT = Duration.ofSeconds(30);
    private static final Duration READ_LIMIT = Duration.ofMinutes(1);
    private static final long LOOK_NANOS = 1_000_000;

    private final Meter unmeasured = new Meter();
    private int taken;

    private record Lap(
            long records, boolean complete, @Nullable String fault) {}

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        if (!(Peers.of(spec.peer()) instanceof Copier copier)) {
            return ArmResult.failed(spec.peer() + " does not write exactly once");
        }
        try (ArmAdmin admin = new ArmAdmin(spec.bootstrap())) {
            Duration limit = spec.millis("measure-ms");
            Lap first = lap(spec, copier, admin, unmeasured, limit);
            String fault = first.fault();
            int laps = 1;
            while (fault == null
                    && unmeasured.seconds() < spec.millis("warm-ms").toMillis() / 1e3) {
                lap(spec, copier, admin, unmeasured, limit);
                laps++;
            }
            Meter meter = new Meter();
            long records = 0;
            boolean complete = true;
            while (fault == null && (records == 0 || meter.seconds() < limit.toMillis() / 2e3)) {
                Lap lap = lap(spec, copier, admin, meter, limit);
                records += lap.records();
                complete &= lap.complete();
                fault = lap.fault();
            }
            String notes = "laps of warm-up: " + laps + (complete ? "" : ", cut off after its time");
            return ArmResult.of(meter, records, notes).withFailure(fault);
        }
    }

    private Lap lap(ArmSpec spec, Copier copier, ArmAdmin admin, Meter meter, Duration limit) throws Exception {
        String group = spec.group() + "-" + taken++;
        String to = group + "-copies";
        admin.create(to, spec.partitions());
        Probe probe = new Probe(Work.NONE, null);
        String state = Files.createTempDirectory("laneway-bench").toString();
        int concurrency = Math.toIntExact(spec.number("concurrency", 16));
        CopyTask task = new CopyTask(spec.bootstrap(), spec.topic(), to, group, concurrency, state, probe);
        long records;
        boolean complete;
        meter.start();
        long start = System.nanoTime();
        Peer.Running running = copier.copy(task);
        try {
            complete = await(spec, group, probe, running, admin, start, limit);
            records = probe.done();
            meter.stop();
        } finally {
            running.close();
        }
        String fault = records == 0 ? "handled nothing" : complete ? check(spec, to) : null;
        admin.delete(to);
        return new Lap(complete ? spec.records() : records, complete, fault);
    }

    /** Waits until all is done; false if the time passes before. */
    private static boolean await(
            ArmSpec spec, String group, Probe probe, Peer.Running running, ArmAdmin admin, long start, Duration limit)
            throws Exception {
        while (true) {
            running.check();
            long first = probe.firstNanos();
            long now = System.nanoTime();
            if (first == 0 ? now - start > JOIN_LIMIT.toNanos() : now - first > limit.toNanos()) {
                return false;
            }
            if (probe.done() >= spec.records()
                    && admin.uncommitted(group, spec.topic(), spec.partitions(), false) == null) {
                return true;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Reads as a reader of committed records; returns what is wrong, null if nothing is. */
    private static @Nullable String check(ArmSpec spec, String to) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers", spec.bootstrap(), "isolation.level", "read_committed", "max.poll.records", 10_000);
        int[] next = new int[spec.keys()];
        long read = 0;
        long deadline = System.nanoTime() + READ_LIMIT.toNanos();
        try (KafkaConsumer<byte[], byte[]> reader =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = IntStream.range(0, spec.partitions())
                    .mapToObj(partition -> new TopicPartition(to, partition))
                    .toList();
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
            while (!partitions.stream().allMatch(id -> reader.position(id) >= ends.getOrDefault(id, 0L))) {
                for (ConsumerRecord<byte[], byte[]> copy : reader.poll(Duration.ofMillis(100))) {
                    Payload payload = Payload.of(copy.value());
                    if (payload.sequence() != next[payload.key()]++) {
                        return "copy " + payload.sequence() + " of key " + payload.key() + " is not in its turn";
                    }
                    read++;
                }
                if (System.nanoTime() - deadline > 0) {
                    return "the copies cannot be read to their end";
                }
            }
        }
        return read == spec.records() ? null : "there are " + read + " copies of " + spec.records() + " records";
    }
}
