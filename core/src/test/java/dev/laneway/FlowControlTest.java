package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.bytes;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@DisplayName("Flow control on a real broker")
class FlowControlTest {

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"records", "bytes"})
    @DisplayName("B25 a stuck handler and a topic without end: what is held stays within the budget")
    void budgets(String budget) {
        Stage stage = Stage.of(4);
        boolean byRecords = budget.equals("records");
        long records = byRecords ? 2_000 : 1_000_000;
        long bytes = byRecords ? 64L << 20 : 1L << 20;
        byte[] value = new byte[2_000];
        CountDownLatch never = new CountDownLatch(1);
        try (Laneway laneway = Laneway.consumer(stage.config(Map.of("max.partition.fetch.bytes", 100_000)))
                .subscribe(stage.topic)
                .closeOnShutdown(false)
                .concurrency(8)
                .bufferRecords((int) records)
                .bufferBytes(bytes)
                .closeLimit(Duration.ZERO)
                .process(record -> never.await())) {
            long most = 0;
            long mostBytes = 0;
            for (int round = 0; round < 12; round++) {
                int from = round * 1_000;
                stage.kafka.produce(IntStream.range(from, from + 1_000)
                        .mapToObj(i -> new ProducerRecord<>(stage.topic, i % 4, bytes("key-" + i), value))
                        .toList());
                Snapshot snapshot = laneway.snapshot();
                most = Math.max(most, snapshot.held());
                mostBytes = Math.max(mostBytes, snapshot.heldBytes());
                assertThat(snapshot.bufferRecords()).isEqualTo(records);
                assertThat(snapshot.bufferBytes()).isEqualTo(bytes);
            }
            await().atMost(LIMIT)
                    .until(() -> laneway.snapshot().partitions().stream()
                                    .filter(PartitionSnapshot::paused)
                                    .count()
                            == 4);
            assertThat(laneway.snapshot().partitions())
                    .allSatisfy(partition -> assertThat(partition.pauseReason())
                            .hasValueSatisfying(reason -> assertThat(reason)
                                    .isIn(
                                            byRecords
                                                    ? List.of(PauseReason.SHARE_FULL, PauseReason.RECORDS_FULL)
                                                    : List.of(PauseReason.BYTES_FULL))));
            most = Math.max(most, laneway.snapshot().held());
            mostBytes = Math.max(mostBytes, laneway.snapshot().heldBytes());
            assertThat(most).isBetween(byRecords ? records / 4 : 1, records);
            assertThat(mostBytes).isBetween(byRecords ? 1 : bytes / 4, bytes);
        }
    }

    @Test
    @DisplayName("B25 B93 what may be held does not grow for a key that is stuck: what waits behind it is spilled")
    void budgetStays() {
        Stage stage = Stage.of(1);
        stage.load(40_000, i -> "the same");
        CountDownLatch never = new CountDownLatch(1);
        try (Laneway laneway =
                stage.consumer().concurrency(1_000).closeLimit(Duration.ZERO).process(record -> never.await())) {
            assertThat(laneway.snapshot().bufferRecords()).isEqualTo(20_000);
            await().atMost(LIMIT)
                    .until(() -> laneway.snapshot().partitions().stream()
                            .anyMatch(partition -> partition.position() == 40_000));
            assertThat(laneway.snapshot().bufferRecords()).isEqualTo(20_000);
            assertThat(laneway.snapshot().held()).isLessThanOrEqualTo(20_000);
        }
    }

    @Test
    @DisplayName("B25 records larger than the budget pass alone")
    void largerThanTheBudget() {
        Stage stage = Stage.of(1);
        stage.kafka.produce(IntStream.range(0, 20)
                .mapToObj(i -> new ProducerRecord<>(stage.topic, bytes("key-" + i), new byte[100_000]))
                .toList());
        AtomicInteger running = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicLong most = new AtomicLong();
        try (Laneway laneway = Laneway.consumer(stage.config(Map.of("max.partition.fetch.bytes", 1_000)))
                .subscribe(stage.topic)
                .closeOnShutdown(false)
                .bufferBytes(50_000)
                .process(record -> {
                    running.incrementAndGet();
                    work(millis(5));
                    running.decrementAndGet();
                    done.incrementAndGet();
                })) {
            await().pollInterval(millis(2)).atMost(LIMIT).until(() -> {
                most.accumulateAndGet(laneway.snapshot().held(), Math::max);
                return done.get() == 20;
            });
        }
        assertThat(most.get()).isEqualTo(1);
    }

    @Test
    @DisplayName("B26 a backlogged partition starves nobody")
    void backloggedPartition() {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 30_000, i -> "stuck");
        CountDownLatch never = new CountDownLatch(1);
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer()
                .ordering(Ordering.PARTITION)
                .bufferRecords(4_000)
                .closeLimit(Duration.ZERO)
                .process(journal.note(record -> {
                    if (record.partition() == 0) {
                        never.await();
                    }
                }))) {
            await().atMost(LIMIT).until(() -> isPaused(laneway, 0));
            stage.loadInto(1, 20_000, i -> "key-" + i % 100);
            await().atMost(LIMIT).until(() -> journal.size() == 20_000);
            assertThat(isPaused(laneway, 0)).isTrue();
        }
        assertThat(journal.offsets(0)).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B26 a partition with a backlog waits for no fetch of others at their end")
    void backlogBesideOthersAtTheirEnd(String protocol) {
        Stage stage = Stage.of(6);
        int records = 40_000;
        byte[] value = new byte[500];
        stage.kafka.produce(IntStream.range(0, records)
                .mapToObj(i -> new ProducerRecord<>(stage.topic, 0, bytes("key-" + i), value))
                .toList());
        AtomicInteger done = new AtomicInteger();
        // A fetch brings 1 MiB of 20. A fetch only for the others takes these 3 s.
        Map<String, Object> config =
                stage.config(Map.of("group.protocol", protocol, "fetch.max.wait.ms", 3_000, "max.poll.records", 500));
        try (Laneway _ = Laneway.consumer(config)
                .subscribe(stage.topic)
                .closeOnShutdown(false)
                .concurrency(100)
                .process(record -> {
                    work(millis(1)); // So that polls are faster, and it is paused.
                    done.incrementAndGet();
                })) {
            await().atMost(Duration.ofSeconds(20)).until(() -> done.get() == records);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B26 partitions at their end get what comes soon, while another one has a backlog")
    void newsBesideABacklog(String protocol) {
        Stage stage = Stage.of(6);
        stage.loadInto(0, 200_000, i -> "key-" + i % 1_000);
        AtomicInteger news = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        // A fetch brings more than 40,000 of these small records; room for 200 more comes each 20 ms, or so.
        try (Laneway _ = stage.consumer(Map.of("group.protocol", protocol, "max.poll.records", 100))
                .bufferRecords(3_000)
                .concurrency(100)
                .process(record -> {
                    if (record.partition() == 0) {
                        work(millis(10));
                    } else {
                        news.incrementAndGet();
                    }
                    done.incrementAndGet();
                })) {
            await().atMost(LIMIT).until(() -> done.get() > 2_000);
            for (int round = 1; round <= 5; round++) {
                stage.loadInto(round, 1, i -> "news");
                int expected = round;
                await().atMost(Duration.ofSeconds(3)).until(() -> news.get() == expected);
            }
            assertThat(done.get()).isLessThan(200_000);
        }
    }

    static boolean isPaused(Laneway laneway, int partition) {
        List<PartitionSnapshot> partitions = laneway.snapshot().partitions();
        return partitions.size() > partition && partitions.get(partition).paused();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B27 a handler that takes twice max.poll.interval.ms: no eviction, no rebalance, nothing twice")
    void slowHandler(String protocol) {
        Stage stage = Stage.of(1);
        stage.load(3, i -> "key-" + i);
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer(Map.of("group.protocol", protocol, "max.poll.interval.ms", 1_500))
                .process(journal.note(record -> work(millis(3_000))))) {
            await().atMost(LIMIT).until(() -> !laneway.assignment().isEmpty());
            // A group that has only just heard of the topic may assign nothing at first.
            long before = laneway.snapshot().counters().rebalances();
            await().atMost(LIMIT).until(() -> journal.size() == 3);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().rebalances()).isEqualTo(before);
        }
        assertThat(journal.repeated()).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B28 under constant pause and resume every byte is fetched once")
    void fetchedOnce(String protocol) throws Exception {
        int records = 20_000;
        Stage stage = Stage.of(8);
        byte[] value = new byte[500];
        for (int from = 0; from < records; from += 2_000) {
            int first = from;
            stage.kafka.produce(IntStream.range(first, first + 2_000)
                    .mapToObj(i -> new ProducerRecord<>(stage.topic, i % 8, bytes("key-" + i), value))
                    .toList());
        }
        long sentBefore = bytesOut(stage.topic);
        AtomicReference<Consumer<byte[], byte[]>> client = new AtomicReference<>();
        AtomicInteger pauses = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        Map<String, Object> config =
                stage.config(Map.of("group.protocol", protocol, "enable.auto.commit", "false", "max.poll.records", 50));
        Around around = (method, arguments, real) -> {
            if (method.equals("pause")) {
                pauses.incrementAndGet();
            }
            return real.call();
        };
        double[] consumed = new double[1];
        try (Laneway _ = Laneway.consumer(config, () -> client.updateAndGet(_ -> around.consumer(config)))
                .subscribe(stage.topic)
                .closeOnShutdown(false)
                .bufferRecords(400)
                .concurrency(20)
                .process(record -> {
                    if (record.offset() % 10 == 0) {
                        work(millis(1));
                    }
                    done.incrementAndGet();
                })) {
            await().atMost(LIMIT).until(() -> done.get() == records);
            consumed[0] = total(client.get(), "bytes-consumed-total");
        }
        long sent = bytesOut(stage.topic) - sentBefore;
        long once = logBytes(stage);

        assertThat(pauses.get()).isGreaterThan(50);
        assertThat(consumed[0]).isLessThanOrEqualTo(1.02 * once);
        // What the broker has sent, by its own count, with room for batches that a response's limit has cut.
        assertThat((double) sent).isBetween(0.9 * once, 1.1 * once);
    }

    private static double total(Consumer<byte[], byte[]> client, String name) {
        return client.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals(name)
                        && metric.metricName().tags().size() == 1)
                .map(Metric::metricValue)
                .mapToDouble(value -> (Double) value)
                .sum();
    }

    /** The broker's own count of the bytes that it has sent of a topic to consumers; 0 before the first. */
    private static long bytesOut(String topic) throws Exception {
        var name = new javax.management.ObjectName(
                "kafka.server:type=BrokerTopicMetrics,name=BytesOutPerSec,topic=" + topic);
        var server = ManagementFactory.getPlatformMBeanServer();
        return server.isRegistered(name) ? (Long) server.getAttribute(name, "Count") : 0;
    }

    private static long logBytes(Stage stage) throws Exception {
        return stage.kafka.admin().describeLogDirs(Set.of(1)).allDescriptions().get().get(1).values().stream()
                .flatMap(directory -> directory.replicaInfos().entrySet().stream())
                .filter(replica -> replica.getKey().topic().equals(stage.topic))
                .mapToLong(replica -> replica.getValue().size())
                .sum();
    }

    @Test
    @DisplayName("B29 B59 what a poll brings of a partition that is paused is kept: it goes on at the same record")
    void keptWhilePaused() {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 2_000, i -> "key-" + i % 10);
        stage.loadInto(1, 2_000, i -> "key-" + i % 10);
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer(Map.of("max.poll.records", 100))
                .bufferRecords(600)
                .process(journal.watch(Journal.byKey(), record -> {
                    if (record.offset() % 20 == 0) {
                        work(millis(1));
                    }
                }))) {
            for (int round = 0; round < 10; round++) {
                int target = journal.size() + 200;
                int running = round % 2; // The other one was paused by the round before.
                await().pollInterval(millis(1))
                        .atMost(LIMIT)
                        .until(() -> journal.size() >= target
                                || journal.offsets(running).size() == 2_000);
                laneway.pause(List.of(stage.partition(running)));
                laneway.resume(List.of(stage.partition(1 - running)));
            }
            laneway.resume();
            await().atMost(LIMIT).until(() -> journal.size() == 4_000);
        }
        assertThat(journal.violations()).isEmpty();
        assertThat(journal.repeated()).isEmpty();
        assertThat(journal.offsets(0)).hasSize(2_000);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B30 full pause with nothing to do costs no CPU")
    void fullPauseCostsNothing(String protocol) {
        Stage stage = Stage.of(4);
        stage.load(5_000, i -> "key-" + i);
        CountDownLatch never = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer(Map.of("group.protocol", protocol, "max.poll.records", 100))
                .name("quiet-" + protocol)
                .bufferRecords(800)
                .concurrency(4)
                .closeLimit(Duration.ZERO)
                .process(record -> never.await())) {
            await().atMost(LIMIT)
                    .until(() -> laneway.snapshot().partitions().size() == 4
                            && laneway.snapshot().partitions().stream().allMatch(PartitionSnapshot::paused));
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long owner = Arrays.stream(threads.dumpAllThreads(false, false))
                    .filter(thread -> thread.getThreadName().equals("quiet-" + protocol + "-owner"))
                    .findFirst()
                    .orElseThrow()
                    .getThreadId();
            long before = threads.getThreadCpuTime(owner);
            long since = System.nanoTime();
            await().atMost(LIMIT).until(() -> System.nanoTime() - since > 3_000_000_000L);
            long used = threads.getThreadCpuTime(owner) - before;
            // One per cent; a spin would use a hundred, a tick of a millisecond five to ten.
            assertThat(Duration.ofNanos(used)).isLessThan(millis(60));
        }
    }

    @Test
    @DisplayName("B31 150 partitions share the budget: all of them move from the start")
    void manyPartitions() {
        int partitions = 150;
        Stage stage = Stage.of(partitions);
        stage.kafka.produce(IntStream.range(0, partitions * 60)
                .mapToObj(i -> new ProducerRecord<>(stage.topic, i % partitions, bytes("key-" + i), bytes("v")))
                .toList());
        Map<Integer, Integer> perPartition = new ConcurrentHashMap<>();
        AtomicInteger done = new AtomicInteger();
        AtomicInteger doneWhenAllHadBegun = new AtomicInteger();
        try (Laneway laneway = stage.consumer(Map.of("max.poll.records", 10))
                .bufferRecords(1_500)
                .concurrency(100)
                .process(record -> {
                    work(millis(1));
                    perPartition.merge(record.partition(), 1, Integer::sum);
                    int now = done.incrementAndGet();
                    if (perPartition.size() == partitions) {
                        doneWhenAllHadBegun.compareAndSet(0, now);
                    }
                })) {
            await().atMost(LIMIT).until(() -> {
                assertThat(laneway.snapshot().held()).isLessThanOrEqualTo(1_500);
                return done.get() == partitions * 60;
            });
        }
        assertThat(doneWhenAllHadBegun.get()).isBetween(partitions, partitions * 30);
        assertThat(perPartition.values()).allMatch(count -> count == 60);
    }
}
