package dev.laneway.orders;

import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.orders.status.OrderEvent.Placed;
import dev.laneway.orders.status.OrderJson;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends what happens to a population of orders, at a rate that may change. {@link #run} is called once, the counter is
 * read by any thread.
 */
final class OrderGenerator {
    private static final int LINGER_MS = 20;
    private static final int BATCH_BYTES = 64 << 10;
    private static final long PACE_NANOS = Duration.ofMillis(2).toNanos();
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    /** What could not be sent in this time is not sent later: a load that was away must not come as a flood. */
    private static final double MOST_SECONDS_BEHIND = 1;

    private final Map<String, Object> kafkaConfig;
    private final OrderPopulation orders;
    private final RateControl rates;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    OrderGenerator(Map<String, Object> kafkaConfig, OrderPopulation orders, RateControl rates) {
        this.kafkaConfig = kafkaConfig;
        this.orders = orders;
        this.rates = rates;
    }

    /** Records that the broker has acknowledged so far. */
    long acknowledged() {
        return acknowledged.get();
    }

    /**
     * Sends until there are so many records, the rates are over, or {@code stopped}; waits for what was sent.
     *
     * @throws VerbFailure when the broker refuses a record or stays away
     */
    void run(long records, BooleanSupplier stopped) {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS);
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        config.putAll(kafkaConfig);
        KafkaProducer<String, byte[]> producer =
                new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer());
        try {
            send(producer, records, stopped);
            if (!stopped.getAsBoolean()) {
                producer.flush();
            }
        } catch (KafkaException failed) {
            failure.compareAndSet(null, failed);
        } finally {
            producer.close(CLOSE_LIMIT);
        }
        Exception failed = failure.get();
        if (failed != null) {
            throw new VerbFailure(
                    "sending orders failed after " + Text.count(acknowledged()) + " records: " + failed.getMessage(),
                    failed);
        }
    }

    // The callback gets the result; keeping a million futures would keep a million objects.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void send(KafkaProducer<String, byte[]> producer, long records, BooleanSupplier stopped) {
        Callback onAnswer = (metadata, failed) -> {
            if (failed == null) {
                acknowledged.incrementAndGet();
            } else {
                failure.compareAndSet(null, failed);
            }
        };
        long start = System.nanoTime();
        long before = start;
        double allowed = 0;
        long sent = 0;
        while (sent < records && failure.get() == null && !stopped.getAsBoolean()) {
            long now = System.nanoTime();
            OptionalDouble rate = rates.at(now - start);
            if (rate.isEmpty()) {
                return;
            }
            double most = Math.max(1, rate.getAsDouble() * MOST_SECONDS_BEHIND);
            allowed = Math.min(most, allowed + rate.getAsDouble() * (now - before) / 1e9);
            before = now;
            if (allowed < 1) {
                LockSupport.parkNanos(PACE_NANOS);
            }
            for (; allowed >= 1 && sent < records && !stopped.getAsBoolean(); allowed--, sent++) {
                OrderPopulation.Told told = orders.next(System.currentTimeMillis());
                String topic = told.event() instanceof Placed ? OrderTopology.ORDERS : OrderTopology.PROGRESS;
                producer.send(new ProducerRecord<>(topic, told.order(), OrderJson.bytes(told.event())), onAnswer);
            }
        }
    }
}
