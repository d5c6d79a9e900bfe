package dev.laneway.bench.workload;

import dev.laneway.bench.measure.Probe;
import dev.laneway.bench.peer.Peer;
import dev.laneway.cli.workload.Payload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends records at a steady rate, and hears when each is handled: how long after it was due, and how often. One thread
 * sends; any may handle.
 */
final class SteadyLoad implements Probe.Listener, AutoCloseable {
    private static final long PACE_NANOS = 100_000;
    private static final int VALUE_BYTES = 100;

    private final String topic;
    private final IntUnaryOperator keys;
    private final KafkaProducer<byte[], byte[]> producer;
    private final double nanosPerRecord;
    private final AtomicIntegerArray handled;
    /** How often records that are sent before the others were handled. */
    private final AtomicInteger others = new AtomicInteger();

    private final Recorder recorder = new Recorder(Duration.ofMinutes(5).toNanos(), 3);
    private volatile long startNanos;

    /** @param keys the key of a record, by its index */
    SteadyLoad(String bootstrap, String topic, long rate, int records, IntUnaryOperator keys) {
        this.topic = topic;
        this.keys = keys;
        nanosPerRecord = 1e9 / rate;
        handled = new AtomicIntegerArray(records);
        producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap, ProducerConfig.LINGER_MS_CONFIG, 0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** What happens before a record is sent. */
    interface Step {
        void before(int index) throws Exception;
    }

    /** Sends records that do not count, and waits until they are in the log. */
    void sendOthers(int count) {
        for (int i = 0; i < count; i++) {
            send(-1, keys.applyAsInt(i));
        }
        producer.flush();
    }

    /** How many of those were handled. */
    int others() {
        return others.get();
    }

    /** Sends each record when it is due, from now on. */
    void sendAll(Step step) throws Exception {
        startNanos = System.nanoTime();
        for (int index = 0; index < handled.length(); index++) {
            step.before(index);
            for (long left = due(index) - System.nanoTime(); left > 0; left = due(index) - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(left, PACE_NANOS));
            }
            send(index, keys.applyAsInt(index));
        }
        producer.flush();
    }

    private void send(int index, int key) {
        byte[] value = new Payload(index, key, 0).valueBytes(VALUE_BYTES);
        var _ = producer.send(new ProducerRecord<>(topic, Payload.keyBytes(key), value));
    }

    private long due(long index) {
        return startNanos + (long) (index * nanosPerRecord);
    }

    @Override
    public void ended(byte[] value) {
        long now = System.nanoTime();
        int index = Math.toIntExact(Payload.of(value).index());
        if (index < 0) {
            others.incrementAndGet();
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

    /** From when a record was due to the end of its handler, in nanoseconds. Only once, when all is done. */
    Histogram latencies() {
        return recorder.getIntervalHistogram();
    }

    interface Condition {
        boolean holds() throws Exception;
    }

    /** Waits while peers run, or fails. */
    static void await(List<Peer.Running> running, Condition condition, Duration limit, String what) throws Exception {
        long start = System.nanoTime();
        while (!condition.holds()) {
            for (Peer.Running each : running) {
                each.check();
            }
            if (System.nanoTime() - start > limit.toNanos()) {
                throw new IllegalStateException("did not " + what + " within " + limit.toSeconds() + " s");
            }
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
