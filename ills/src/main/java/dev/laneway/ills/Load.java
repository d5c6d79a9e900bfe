package dev.laneway.ills;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** A steady stream of records into one topic, by a thread of its own, until it is closed. */
final class Load implements AutoCloseable {
    private static final long TICK_NANOS = 10_000_000;
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final Plan plan;
    private final Producer<String, byte[]> producer;
    private final SplittableRandom random = new SplittableRandom(23);
    private final Thread thread;
    private volatile boolean ended;

    /**
     * Which records.
     *
     * @param perSecond how many in a second
     * @param keys how many keys, named {@code key-0} and so on
     * @param bytes of a value
     * @param hotKey the share of the records that have {@code key-0}, beside its share as one of all keys
     * @param partitions 0 if the keys choose the partitions; else they are chosen at random, whatever the key
     * @param hotPartition with that, the share that goes to partition 0, beside its share as one of all
     */
    record Plan(String topic, int perSecond, int keys, int bytes, double hotKey, int partitions, double hotPartition) {
        /** Short records of a thousand keys. */
        static Plan of(String topic, int perSecond) {
            return new Plan(topic, perSecond, 1_000, 100, 0, 0, 0);
        }

        Plan keys(int count) {
            return new Plan(topic, perSecond, count, bytes, hotKey, partitions, hotPartition);
        }

        Plan bytes(int size) {
            return new Plan(topic, perSecond, keys, size, hotKey, partitions, hotPartition);
        }

        Plan hotKey(double share) {
            return new Plan(topic, perSecond, keys, bytes, share, partitions, hotPartition);
        }

        Plan hotPartition(int of, double share) {
            return new Plan(topic, perSecond, keys, bytes, hotKey, of, share);
        }
    }

    private Load(String bootstrap, Plan plan) {
        this.plan = plan;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "client.id", "load", "linger.ms", 5, "max.block.ms", 2_000),
                new StringSerializer(),
                new ByteArraySerializer());
        this.thread = Thread.ofPlatform().name("load-" + plan.topic()).daemon().unstarted(this::run);
    }

    static Load start(String bootstrap, Plan plan) {
        Load load = new Load(bootstrap, plan);
        load.thread.start();
        return load;
    }

    /** Writes many records at once and waits until they are written. */
    static void fill(String bootstrap, Plan plan, int records) {
        try (Load load = new Load(bootstrap, plan)) {
            for (int i = 0; i < records; i++) {
                load.send();
            }
            load.producer.flush();
        }
    }

    private void run() {
        long start = System.nanoTime();
        long sent = 0;
        while (!ended) {
            long due = (System.nanoTime() - start) * plan.perSecond() / TimeUnit.SECONDS.toNanos(1);
            try {
                for (; sent < due && !ended; sent++) {
                    send();
                }
            } catch (InterruptException end) {
                return;
            } catch (KafkaException away) {
                sent = due; // Nobody takes them now: they are not made up for.
            }
            LockSupport.parkNanos(TICK_NANOS);
        }
    }

    private void send() {
        byte[] value = new byte[plan.bytes()];
        random.nextBytes(value);
        value[0] = 0; // Never the begin of a text such as Handling.POISON.
        boolean isHot = plan.hotKey() > 0 && random.nextDouble() < plan.hotKey();
        String key = "key-" + (isHot ? 0 : random.nextInt(plan.keys()));
        var _ = producer.send(new ProducerRecord<>(plan.topic(), partition(), key, value));
    }

    private @Nullable Integer partition() {
        if (plan.partitions() == 0) {
            return null;
        }
        return random.nextDouble() < plan.hotPartition() ? 0 : random.nextInt(plan.partitions());
    }

    /** A key that the default partitioner puts into a partition. */
    static String keyOf(int partition, int partitions) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "key-" + i)
                .filter(key -> Utils.toPositive(Utils.murmur2(key.getBytes(UTF_8))) % partitions == partition)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        ended = true;
        thread.interrupt();
        try {
            if (thread.isAlive()) {
                thread.join(END_LIMIT);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        producer.close(Duration.ZERO);
    }
}
