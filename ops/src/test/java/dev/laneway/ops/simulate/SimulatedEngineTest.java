package dev.laneway.ops.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.Laneway;
import dev.laneway.Ordering;
import dev.laneway.ops.plan.Mode;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The simulation against the engine, with handlers that wait and a real broker. */
@Isolated // It measures rates.
class SimulatedEngineTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final int RECORDS = 5_000;
    private static final int BEGINNING = 1_000;
    private static final int END = 1_000;

    private final String topic = "simulated-" + UUID.randomUUID();

    /** A rate, and the time that handlers really took: a machine with other work wakes them late. */
    private record Run(double rate, double service) {}

    @ParameterizedTest(name = "{0}: {1} partitions, {2} keys, {3} workers, {4} held, {5} ms")
    @DisplayName("B147 the simulated rate is within 10 % of the engine's")
    @CsvSource({
        "KEY, 1, 1000, 16, 5000, 8",
        "KEY, 1, 12, 64, 5000, 15",
        "KEY, 4, 40, 64, 5000, 15",
        "PARTITION, 8, 1000, 32, 5000, 8",
        "UNORDERED, 2, 1000, 16, 5000, 8"
    })
    void asTheEngine(Mode mode, int partitions, int keys, int workers, int reserve, int millis) throws Exception {
        Run real = run(mode, partitions, keys, workers, reserve, millis);
        Group group = new Group(mode, partitions, 1, workers, reserve, true);
        double seconds = RECORDS / real.rate;
        Scenario scenario = Scenario.of(
                        group,
                        Traffic.constant(0),
                        Keys.alike(keys),
                        new ServiceTime.Fixed(real.service),
                        new Span(seconds, seconds / 6, seconds, 30, 1))
                .withBacklog(100L * RECORDS);
        assertThat(Simulation.run(scenario).rate()).isCloseTo(real.rate, Percentage.withPercentage(10));
    }

    private Run run(Mode mode, int partitions, int keys, int workers, int reserve, int millis) throws Exception {
        KAFKA.createTopic(topic, partitions);
        load(partitions, keys);
        AtomicInteger done = new AtomicInteger();
        AtomicLong[] times = {new AtomicLong(), new AtomicLong()};
        AtomicLong worked = new AtomicLong();
        try (Laneway _ = Laneway.consumer(Map.of(
                        "bootstrap.servers",
                        KAFKA.bootstrapServers(),
                        "group.id",
                        topic,
                        "auto.offset.reset",
                        "earliest",
                        "max.poll.records",
                        Math.min(500, Math.max(1, reserve / 20))))
                .subscribe(topic)
                .ordering(Ordering.valueOf(mode.name()))
                .concurrency(workers)
                .bufferRecords(reserve)
                .process(_ -> {
                    long start = System.nanoTime();
                    new Semaphore(0).tryAcquire(millis, TimeUnit.MILLISECONDS);
                    long end = System.nanoTime();
                    int number = done.incrementAndGet();
                    if (number == BEGINNING) {
                        times[0].set(end);
                    } else if (number == RECORDS - END) {
                        times[1].set(end);
                    }
                    if (number > BEGINNING && number <= RECORDS - END) {
                        worked.addAndGet(end - start);
                    }
                })) {
            await().atMost(Duration.ofMinutes(2)).until(() -> done.get() == RECORDS);
        }
        int counted = RECORDS - BEGINNING - END;
        return new Run(counted / ((times[1].get() - times[0].get()) / 1e9), worked.get() / 1e9 / counted);
    }

    private void load(int partitions, int keys) {
        Random random = new Random(1);
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            int partition = i % partitions;
            int key = random.nextInt(keys / partitions) * partitions + partition;
            records.add(new ProducerRecord<>(
                    topic, partition, ByteBuffer.allocate(4).putInt(key).array(), new byte[10]));
        }
        KAFKA.produce(records);
    }
}
