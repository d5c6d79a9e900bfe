package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Audit;
import dev.laneway.bench.measure.ClientMetrics;
import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.MemorySamples;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Task;
import dev.laneway.bench.measure.Work;
import dev.laneway.bench.peer.Peer;
import dev.laneway.bench.peer.Peers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Consumes a topic once, to its end, with a handler that is slower than the broker, and compares the received bytes
 * with the delivered ones. Uses only what clients from 2.3 on have.
 */
final class FlowWorkload implements Workload {
    private static final long LOOK_NANOS = 500_000;
    private static final Duration LIMIT = Duration.ofMinutes(10);

    @Override
    public ArmResult run(ArmSpec spec) throws Exception {
        Peer peer = Peers.of(spec.peer());
        Probe none = new Probe(Work.of(spec), null);
        Audit audit = new Audit(peer.order(task(spec, none)), ends(spec), spec.keys());
        Probe probe = new Probe(Work.of(spec), audit);
        Meter meter = new Meter();
        ClientMetrics used;
        try (MemorySamples samples = new MemorySamples()) {
            meter.start();
            long start = System.nanoTime();
            Peer.Running running = peer.start(task(spec, probe));
            try {
                while (probe.done() < spec.records()) {
                    running.check();
                    if (System.nanoTime() - start > LIMIT.toNanos()) {
                        throw new IllegalStateException("handled " + probe.done() + " of " + spec.records());
                    }
                    LockSupport.parkNanos(LOOK_NANOS);
                }
                meter.stop();
                used = ClientMetrics.now();
            } finally {
                running.close();
            }
            long delivered = spec.number("topic-bytes");
            ArmResult result = ArmResult.of(meter, spec.records(), "read once to its end, audited")
                    .withFailure(fault(audit, spec.records()))
                    .withFigure("received_per_delivered", used.bytes() / delivered)
                    .withFigure("received_mb", used.bytes() / 1e6)
                    .withFigure("fetches", used.fetches())
                    .withFigure("records_per_fetch", spec.records() / Math.max(1, used.fetches()));
            return samples.addTo(result);
        }
    }

    private static @Nullable String fault(Audit audit, long records) {
        String violation = audit.violation();
        return violation != null
                ? violation
                : audit.ended() == records ? null : "handled " + audit.ended() + " different records of " + records;
    }

    private static Task task(ArmSpec spec, Probe probe) {
        int concurrency = Math.toIntExact(spec.number("concurrency"));
        return new Task(
                spec.bootstrap(),
                spec.topic(),
                spec.partitions(),
                spec.group(),
                concurrency,
                Commits.NONE,
                1_000,
                probe);
    }

    private static List<Long> ends(ArmSpec spec) {
        List<TopicPartition> partitions = IntStream.range(0, spec.partitions())
                .mapToObj(partition -> new TopicPartition(spec.topic(), partition))
                .toList();
        try (KafkaConsumer<byte[], byte[]> reader = new KafkaConsumer<>(
                Map.of("bootstrap.servers", spec.bootstrap()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
            return partitions.stream().map(id -> ends.getOrDefault(id, 0L)).toList();
        }
    }
}
