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
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends records at a steady rate and measures the time from when each was meant to be sent to the start of its handler.
 * So the delay of a late sender counts too.
 *
 * <p>The producer runs in the arm's process, so that both ends read the same clock; it does not linger.
 */
final class LatencyWorkload implements Workload {
    private static final Duration JOIN_LIMIT = Duration.ofMinutes(1);
    private static final Duration END_LIMIT = Duration.ofSeconds(30);
    private static final long PACE_NANOS = 50_000;
    private static final int VALUE_BYTES = 100;
    private static final int KEYS = 10_000;

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
        long warm = rate * spec.millis("warm-ms").toMillis() / 1_000;
        long records = warm + rate * spec.millis("measure-ms").toMillis() / 1_000;
        Clock clock = new Clock(rate, warm);
        Probe probe = new Probe(Work.NONE, null, clock);
        Task task = new Task(
                spec.bootstrap(), topic, spec.partitions(), topic, 256, Commits.of(spec.text("commits")), 1_000, probe);
        Meter meter = new Meter();
        Peer.Running running = peer.start(task);
        try (KafkaProducer<byte[], byte[]> producer = producer(spec)) {
            Loading loading = new Loading(producer, topic);
            // The group has joined when the first record is handled.
            loading.send(-1);
            await(running, () -> probe.done() >= 1, JOIN_LIMIT, "join");
            meter.start();
            clock.startNanos = System.nanoTime();
            for (long index = 0; index < records; index++) {
                clock.awaitTurn(index);
                loading.send(index);
            }
            producer.flush();
            loading.check();
            await(running, () -> probe.done() > records, END_LIMIT, "handle all records");
            meter.stop();
        } finally {
            running.close();
        }
        Histogram taken = clock.histogram();
        String fault = taken.getTotalCount() == records - warm
                ? null
                : "took " + taken.getTotalCount() + " times of " + (records - warm);
        return ArmResult.of(meter, records, "from when a record was meant to be sent to the start of its handler")
                .withFailure(fault)
                .withLatency(millis(taken, 50), millis(taken, 99))
                .withFigure("p99.9_ms", millis(taken, 99.9))
                .withFigure("max_ms", taken.getMaxValue() / 1e6);
    }

    private static double millis(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e6;
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Peer.Running running, Condition condition, Duration limit, String what) throws Exception {
        long start = System.nanoTime();
        while (!condition.holds()) {
            running.check();
            if (System.nanoTime() - start > limit.toNanos()) {
                throw new IllegalStateException("did not " + what + " within " + limit.toSeconds() + " s");
            }
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    private static KafkaProducer<byte[], byte[]> producer(ArmSpec spec) {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, spec.bootstrap());
        config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Sends, and keeps the first failure. */
    private static final class Loading {
        private final KafkaProducer<byte[], byte[]> producer;
        private final String topic;
        private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

        Loading(KafkaProducer<byte[], byte[]> producer, String topic) {
            this.producer = producer;
            this.topic = topic;
        }

        void send(long index) {
            int key = Math.floorMod(index, KEYS);
            byte[] value = new Payload(index, key, 0).valueBytes(VALUE_BYTES);
            var _ = producer.send(new ProducerRecord<>(topic, Payload.keyBytes(key), value), (_, failed) -> {
                if (failed != null) {
                    failure.compareAndSet(null, failed);
                }
            });
        }

        void check() {
            Exception failed = failure.get();
            if (failed != null) {
                throw new IllegalStateException("cannot send", failed);
            }
        }
    }

    /**
     * When each record is meant to be sent, and how late its handler started. Thread-safe, except for changing laps.
     */
    private static final class Clock implements Probe.Listener {
        private final double nanosPerRecord;
        private final long warm;
        private final Recorder recorder = new Recorder(Duration.ofMinutes(1).toNanos(), 3);
        private volatile long startNanos;

        Clock(long rate, long warm) {
            this.nanosPerRecord = 1e9 / rate;
            this.warm = warm;
        }

        private long due(long index) {
            return startNanos + (long) (index * nanosPerRecord);
        }

        void awaitTurn(long index) {
            long due = due(index);
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(left, PACE_NANOS));
            }
        }

        @Override
        public void started(byte[] value) {
            long now = System.nanoTime();
            long index = Payload.of(value).index();
            if (index >= warm) {
                recorder.recordValue(Math.max(0, now - due(index)));
            }
        }

        Histogram histogram() {
            return recorder.getIntervalHistogram();
        }
    }
}
