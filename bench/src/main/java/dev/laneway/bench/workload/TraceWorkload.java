package dev.laneway.bench.workload;

import dev.laneway.bench.measure.ArmAdmin;
import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import dev.laneway.bench.measure.Audit;
import dev.laneway.bench.measure.Commits;
import dev.laneway.bench.measure.Meter;
import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.measure.Task;
import dev.laneway.bench.measure.Work;
import dev.laneway.bench.peer.Peer;
import dev.laneway.bench.peer.Peers;
import dev.laneway.cli.workload.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends ten slow records to a waiting consumer, and notes when each ends and in which order. The very first record,
 * which shows that the group has joined, is not one of the ten.
 */
final class TraceWorkload implements Workload {
    private static final int RECORDS = 10;
    private static final int SLOW = 5;
    /** A key that no other record has. */
    private static final int FIRST_KEY = 1_000;

    private static final Duration JOIN_LIMIT = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(1);

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
        int keys = Math.toIntExact(spec.number("trace-keys"));
        Duration work = spec.millis("trace-work-ms");
        Duration slow = spec.millis("trace-slow-ms");
        Trace trace = new Trace(work, slow);
        Audit audit = new Audit(
                peer.order(task(spec, topic, new Probe(new Work(work, 1, false, trace), null))),
                Collections.nCopies(spec.partitions(), (long) RECORDS + 1),
                FIRST_KEY + 1);
        Probe probe = new Probe(new Work(Duration.ofNanos(1), 1, false, trace), audit);
        Meter meter = new Meter();
        Peer.Running running = peer.start(task(spec, topic, probe));
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, spec.bootstrap(), ProducerConfig.LINGER_MS_CONFIG, 0),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            send(producer, topic, new Payload(-1, FIRST_KEY, 0));
            await(running, probe, 1, JOIN_LIMIT);
            meter.start();
            for (int index = 0; index < RECORDS; index++) {
                trace.sent(index);
                send(producer, topic, new Payload(index, index % keys, index / keys));
            }
            await(
                    running,
                    probe,
                    RECORDS + 1,
                    work.multipliedBy(RECORDS).plus(slow).multipliedBy(3).plus(JOIN_LIMIT));
            meter.stop();
        } finally {
            running.close();
        }
        return result(meter, trace, audit.violation());
    }

    private static Task task(ArmSpec spec, String topic, Probe probe) {
        int concurrency = Math.toIntExact(spec.number("concurrency"));
        return new Task(spec.bootstrap(), topic, spec.partitions(), topic, concurrency, Commits.BATCH, 1_000, probe);
    }

    private static ArmResult result(Meter meter, Trace trace, @Nullable String fault) {
        List<Double> latencies = new ArrayList<>();
        for (int index = 0; index < RECORDS; index++) {
            latencies.add(trace.latencyMs(index));
        }
        List<Double> sorted = latencies.stream().sorted().toList();
        ArmResult result = ArmResult.of(meter, RECORDS, "ended in the order " + trace.order())
                .withFailure(fault)
                .withLatency(sorted.get(RECORDS / 2), sorted.getLast());
        for (int index = 0; index < RECORDS; index++) {
            result = result.withFigure("ms_" + index, latencies.get(index));
        }
        return result;
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String topic, Payload payload) throws Exception {
        byte[] value = payload.valueBytes(Payload.LEAST_BYTES);
        producer.send(new ProducerRecord<>(topic, Payload.keyBytes(payload.key()), value))
                .get(JOIN_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void await(Peer.Running running, Probe probe, long records, Duration limit) throws Exception {
        long start = System.nanoTime();
        while (probe.done() < records) {
            running.check();
            if (System.nanoTime() - start > limit.toNanos()) {
                throw new IllegalStateException(
                        "handled " + probe.done() + " of " + records + " records in " + limit.toSeconds() + " s");
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** How long each record takes, and when it was sent and ended. Thread-safe. */
    private static final class Trace implements Work.Times {
        private final Duration work;
        private final Duration slow;
        private final Map<Long, Long> sent = new ConcurrentHashMap<>();
        private final Map<Long, Long> ended = new ConcurrentHashMap<>();
        private final List<Long> order = Collections.synchronizedList(new ArrayList<>());

        Trace(Duration work, Duration slow) {
            this.work = work;
            this.slow = slow;
        }

        void sent(long index) {
            sent.put(index, System.nanoTime());
        }

        @Override
        public Duration of(byte[] value) {
            long index = Payload.of(value).index();
            return index < 0 ? Duration.ZERO : index == SLOW ? slow : work;
        }

        @Override
        public void ended(byte[] value) {
            long index = Payload.of(value).index();
            if (index >= 0) {
                ended.put(index, System.nanoTime());
                order.add(index);
            }
        }

        double latencyMs(long index) {
            return (ended.getOrDefault(index, 0L) - sent.getOrDefault(index, 0L)) / 1e6;
        }

        String order() {
            synchronized (order) {
                return String.join(" ", order.stream().map(Object::toString).toList());
            }
        }
    }
}
