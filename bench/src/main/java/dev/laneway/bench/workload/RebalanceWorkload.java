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
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Gives a group a steady load; a second member joins at a third of the time and leaves at two thirds. The longest that
 * a record waited, from when it was meant to be sent to the end of its handler, is the stall; records that were handled
 * again are duplicates.
 */
final class RebalanceWorkload implements Workload {
    private static final Duration JOIN_LIMIT = Duration.ofMinutes(1);
    private static final Duration END_LIMIT = Duration.ofMinutes(1);
    private static final long PACE_NANOS = 100_000;
    private static final int VALUE_BYTES = 100;
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
        Log log = new Log(rate, records);
        Meter meter = new Meter();
        Peer.Running first = peer.start(task(spec, topic, log));
        Peer.Running second = null;
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, spec.bootstrap(), ProducerConfig.LINGER_MS_CONFIG, 0),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            send(producer, topic, -1);
            await(first, () -> log.others.get(0) > 0, JOIN_LIMIT, "join");
            meter.start();
            log.startNanos = System.nanoTime();
            for (int index = 0; index < records; index++) {
                if (index == records / 3) {
                    second = peer.start(task(spec, topic, log));
                }
                if (index == 2 * records / 3 && second != null) {
                    // Leaving takes long, and the sender must go on meanwhile.
                    Peer.Running leaving = second;
                    second = null;
                    Thread.ofPlatform().daemon().name("leaving").start(() -> end(leaving));
                }
                log.awaitTurn(index);
                send(producer, topic, index);
            }
            producer.flush();
            await(first, log::isComplete, END_LIMIT, "handle all records");
            meter.stop();
        } finally {
            first.close();
            if (second != null) {
                second.close();
            }
        }
        Histogram latencies = log.recorder.getIntervalHistogram();
        return ArmResult.of(meter, records, "each record at least once; from when it was due to the end of its handler")
                .withLatency(latencies.getValueAtPercentile(50) / 1e6, latencies.getValueAtPercentile(99) / 1e6)
                .withFigure("stall_ms", latencies.getMaxValue() / 1e6)
                .withFigure("duplicates", log.duplicates());
    }

    private static void end(Peer.Running leaving) {
        try {
            leaving.close();
        } catch (Exception failed) {
            throw new IllegalStateException("the second member does not leave", failed);
        }
    }

    private static Task task(ArmSpec spec, String topic, Log log) {
        int concurrency = Math.toIntExact(spec.number("concurrency"));
        Probe probe = new Probe(Work.of(spec), null, log);
        return new Task(spec.bootstrap(), topic, spec.partitions(), topic, concurrency, Commits.BATCH, 100, probe);
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic, int index) {
        int key = Math.floorMod(index, KEYS);
        byte[] value = new Payload(index, key, 0).valueBytes(VALUE_BYTES);
        var _ = producer.send(new ProducerRecord<>(topic, Payload.keyBytes(key), value));
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

    /** How often each record was handled, and how late. Thread-safe, except for changing laps. */
    private static final class Log implements Probe.Listener {
        private final double nanosPerRecord;
        private final AtomicIntegerArray handled;
        /** How often the record that is sent before the others was handled. */
        private final AtomicIntegerArray others = new AtomicIntegerArray(1);

        private final Recorder recorder = new Recorder(Duration.ofMinutes(5).toNanos(), 3);
        private volatile long startNanos;

        Log(long rate, int records) {
            this.nanosPerRecord = 1e9 / rate;
            this.handled = new AtomicIntegerArray(records);
        }

        private long due(long index) {
            return startNanos + (long) (index * nanosPerRecord);
        }

        void awaitTurn(int index) {
            for (long left = due(index) - System.nanoTime(); left > 0; left = due(index) - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(left, PACE_NANOS));
            }
        }

        @Override
        public void ended(byte[] value) {
            long now = System.nanoTime();
            int index = Math.toIntExact(Payload.of(value).index());
            if (index < 0) {
                others.incrementAndGet(0);
            } else if (handled.incrementAndGet(index) == 1) {
                recorder.recordValue(Math.max(0, now - due(index)));
            }
        }

        boolean isComplete() {
            for (int index = handled.length() - 1; index >= 0; index--) {
                if (handled.get(index) == 0) {
                    return false;
                }
            }
            return true;
        }

        long duplicates() {
            long more = 0;
            for (int index = 0; index < handled.length(); index++) {
                more += handled.get(index) - 1;
            }
            return more;
        }
    }
}
