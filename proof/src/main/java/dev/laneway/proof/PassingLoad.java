package dev.laneway.proof;

import dev.laneway.cli.workload.Payload;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes to the topic that is deleted and created again, on its own thread, also while it is deleted. Refused records
 * are not written again: only what the topic holds in the end counts.
 */
final class PassingLoad implements AutoCloseable {
    private static final long PAUSE_MILLIS = 20;

    private final KafkaProducer<byte[], byte[]> producer;
    private final long ratePerSecond;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private PassingLoad(Map<String, Object> kafkaConfig, long ratePerSecond) {
        Map<String, Object> config = new HashMap<>(kafkaConfig);
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "false");
        config.put(ProducerConfig.RETRIES_CONFIG, 0);
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 500);
        this.producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        this.ratePerSecond = ratePerSecond;
        this.thread = Thread.ofPlatform().name("laneway-passing").daemon().unstarted(this::write);
    }

    /** Starts to write a tenth of the plan's records, beside them. */
    static PassingLoad start(ChaosPlan plan, Map<String, Object> kafkaConfig) {
        PassingLoad load = new PassingLoad(kafkaConfig, Math.max(10, plan.rate() / 10));
        load.thread.start();
        return load;
    }

    // Refused records are dropped: the topic may be deleted.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void write() {
        long start = System.nanoTime();
        int index = 0;
        try {
            while (!closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                double allowed = (System.nanoTime() - start) / 1e9 * ratePerSecond;
                for (; index < allowed && closed.getCount() > 0; index++) {
                    byte[] value = new Payload(index, index % 100, index / 100).valueBytes(Payload.LEAST_BYTES);
                    try {
                        producer.send(
                                new ProducerRecord<>(ChaosPlan.PASSING, Payload.keyBytes(index % 100), value),
                                (metadata, failure) -> {});
                    } catch (KafkaException refused) {
                        index = (int) allowed; // It is deleted: records that are due meanwhile are not written later.
                    }
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        end();
    }

    /** Ends it when every sent record is acknowledged or refused. Idempotent. */
    void end() {
        closed.countDown();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        producer.close(Duration.ofSeconds(20));
    }
}
