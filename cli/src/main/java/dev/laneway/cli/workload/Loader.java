package dev.laneway.cli.workload;

import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Fills a topic with records that can be checked (see {@link Payload}). {@link #run} is called once; the counter is
 * read by any thread.
 */
public final class Loader {
    /** Loads without an end, until it is stopped. */
    public static final long ENDLESS = Long.MAX_VALUE;

    private static final int LINGER_MS = 20;
    private static final int BATCH_BYTES = 256 << 10;
    private static final long BUFFER_BYTES = 64L << 20;
    private static final int PORTIONS_PER_SECOND = 20;
    private static final long PACE_NANOS = Duration.ofMillis(2).toNanos();

    private final Map<String, Object> kafkaConfig;
    private final Plan plan;
    private final IntSupplier keys;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private volatile long startedNanos;
    private volatile double ratePerSecond;

    public Loader(Map<String, Object> kafkaConfig, Plan plan) {
        this(kafkaConfig, plan, plan.drawn());
    }

    /**
     * Chooses the keys differently from the plan.
     *
     * @param keys gives the number of each record's key, below the plan's
     */
    public Loader(Map<String, Object> kafkaConfig, Plan plan, IntSupplier keys) {
        this.kafkaConfig = kafkaConfig;
        this.plan = plan;
        this.keys = keys;
        this.ratePerSecond = plan.ratePerSecond();
    }

    /**
     * What to load. Immutable.
     *
     * @param records how many; {@link #ENDLESS} until stopped
     * @param keys how many keys the records have
     * @param skew Zipf's exponent; 0 is even
     * @param size bytes of a value
     * @param ratePerSecond 0 for as fast as possible
     */
    public record Plan(String topic, long records, int keys, double skew, int size, long ratePerSecond) {
        /** The same plan draws the same keys on every machine. */
        private static final long SEED = 42;

        public KeyPicker picker() {
            return new KeyPicker(keys, skew, SEED);
        }

        /** Draws the number of one key after the other. */
        public IntSupplier drawn() {
            return picker()::next;
        }
    }

    /**
     * What was loaded. Immutable.
     *
     * @param records acknowledged by the broker
     * @param hottest records of the most frequent key
     */
    public record Result(long records, Duration took, long hottest) {
        /** Records a second. */
        public double rate() {
            return records / Math.max(1e-9, took.toNanos() / 1e9);
        }
    }

    /**
     * Changes the rate while it runs; only of a plan that has one.
     *
     * @param perSecond 0 to pause
     */
    public void changeRate(double perSecond) {
        ratePerSecond = perSecond;
    }

    /** When it began, as {@link System#nanoTime} tells it; only after it did. */
    public long startedNanos() {
        return startedNanos;
    }

    /** Records that the broker has acknowledged so far. */
    public long acknowledged() {
        return acknowledged.get();
    }

    /**
     * Loads until all is acknowledged or {@code stopped}; waits for what was sent by then.
     *
     * @throws VerbFailure when the broker refuses a record or stays away
     */
    public Result run(BooleanSupplier stopped) {
        long start = System.nanoTime();
        int[] sequences = new int[plan.keys()];
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(producerConfig(), new ByteArraySerializer(), new ByteArraySerializer())) {
            startedNanos = System.nanoTime();
            send(producer, sequences, startedNanos, stopped);
            producer.flush();
        } catch (KafkaException failed) {
            failure.compareAndSet(null, failed);
        }
        Exception failed = failure.get();
        if (failed != null) {
            throw new VerbFailure(
                    "loading " + plan.topic() + " failed after " + Text.count(acknowledged()) + " records: "
                            + failed.getMessage(),
                    failed);
        }
        int hottest = 0;
        for (int sequence : sequences) {
            hottest = Math.max(hottest, sequence);
        }
        return new Result(acknowledged(), Duration.ofNanos(System.nanoTime() - start), hottest);
    }

    // The callback gets the result; keeping a million futures would keep a million objects.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void send(KafkaProducer<byte[], byte[]> producer, int[] sequences, long start, BooleanSupplier stopped) {
        Callback onAnswer = (metadata, failed) -> {
            if (failed == null) {
                acknowledged.lazySet(acknowledged.getPlain() + 1);
            } else {
                failure.compareAndSet(null, failed);
            }
        };
        long allowed = plan.ratePerSecond() == 0 ? plan.records() : 0;
        Pace pace = new Pace(start);
        for (long index = 0; index < plan.records() && failure.get() == null && !stopped.getAsBoolean(); index++) {
            if (index >= allowed) {
                allowed = pace.await(index, stopped);
            }
            int key = keys.getAsInt();
            byte[] value = new Payload(index, key, sequences[key]++).valueBytes(plan.size());
            producer.send(new ProducerRecord<>(plan.topic(), Payload.keyBytes(key), value), onAnswer);
        }
    }

    /** Counts from when the rate was last changed, so that a higher one has nothing to make up for. */
    private final class Pace {
        private double rate = ratePerSecond;
        private long first;
        private long sinceNanos;

        Pace(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }

        /** Waits until the record with this number may go; returns the first number that may not yet. */
        long await(long index, BooleanSupplier stopped) {
            while (true) {
                double wanted = ratePerSecond;
                if (wanted != rate) {
                    rate = wanted;
                    first = index;
                    sinceNanos = System.nanoTime();
                }
                double seconds = (System.nanoTime() - sinceNanos) / 1e9;
                long allowed = first + (long) (seconds * rate);
                if (allowed > index || stopped.getAsBoolean() || failure.get() != null) {
                    // In small portions: who cannot send as fast as that must notice when it may be slower.
                    return Math.clamp(allowed, index + 1, index + 1 + (long) (rate / PORTIONS_PER_SECOND));
                }
                LockSupport.parkNanos(PACE_NANOS);
            }
        }
    }

    private Map<String, Object> producerConfig() {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS);
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        config.putAll(kafkaConfig);
        return config;
    }
}
