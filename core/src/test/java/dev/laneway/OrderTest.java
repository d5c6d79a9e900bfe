package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.bytes;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.work;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Order on a real broker")
class OrderTest {

    /** The first half of the records has key 0, the next quarter key 1, and so on: a very skewed distribution. */
    private static String skewed(Random random) {
        int key = 0;
        while (key < 500 && random.nextBoolean()) {
            key++;
        }
        return Integer.toString(key < 4 ? key : random.nextInt(500));
    }

    @Test
    @DisplayName("B18 keys keep their order, however skewed they are, while handlers take random times and some fail")
    void keysKeepTheirOrder() {
        int records = 12_000;
        Stage stage = Stage.of(4);
        Random random = new Random(18);
        String[] keys =
                IntStream.range(0, records).mapToObj(i -> skewed(random)).toArray(String[]::new);
        stage.load(records, i -> keys[i]);
        Journal journal = new Journal();
        Set<Integer> failed = ConcurrentHashMap.newKeySet();

        RecordHandler<String, String> handler = journal.watch(Journal.byKey(), record -> {
            ThreadLocalRandom dice = ThreadLocalRandom.current();
            if (dice.nextInt(8) == 0) {
                work(Duration.ofNanos(dice.nextInt(1_000_000)));
            }
            int number = Integer.parseInt(record.value());
            if (number % 50 == 0 && failed.add(number)) {
                throw new IllegalStateException("the first attempt fails");
            }
        });
        try (Laneway laneway = stage.consumer()
                .concurrency(200)
                .onFailure(FailurePolicy.retry(Backoff.exponential(millis(1), millis(20)), 3))
                .process(handler)) {
            await().atMost(LIMIT).until(() -> journal.size() >= records);
            assertThat(laneway.snapshot().counters().retries()).isEqualTo(records / 50);
        }

        assertThat(journal.violations()).isEmpty();
        assertThat(journal.repeated()).isEmpty();
        assertThat(journal.size()).isEqualTo(records);
        assertThat(stage.isCommittedToEnd()).isTrue();
    }

    @Test
    @DisplayName("B20 a partition keeps its order strictly, and a retry holds it")
    void partitionsKeepTheirOrder() {
        int records = 900;
        Stage stage = Stage.of(3);
        for (int partition = 0; partition < 3; partition++) {
            stage.loadInto(partition, records / 3, i -> null);
        }
        Journal journal = new Journal();
        Queue<String> attempts = new ConcurrentLinkedQueue<>();

        OutcomeHandler<String, String> handler = (record, context) -> {
            attempts.add(record.partition() + "@" + record.offset());
            if (record.offset() % 100 == 7 && context.attempt() < 3) {
                return Outcome.retryAfter(millis(20));
            }
            journal.add(record);
            return Outcome.done();
        };
        try (Laneway _ = stage.consumer().ordering(Ordering.PARTITION).process(handler)) {
            await().atMost(LIMIT).until(() -> journal.size() >= records);
        }

        for (int partition = 0; partition < 3; partition++) {
            String prefix = partition + "@";
            List<Long> tried = attempts.stream()
                    .filter(attempt -> attempt.startsWith(prefix))
                    .map(attempt -> Long.valueOf(attempt.substring(prefix.length())))
                    .toList();
            assertThat(tried).isSorted();
            assertThat(tried.stream().filter(offset -> offset == 7)).hasSize(3);
        }
        assertThat(journal.repeated()).isEmpty();
    }

    @Test
    @DisplayName("B21 unordered: one slow record delays no other, of its own key neither")
    void unordered() throws Exception {
        Stage stage = Stage.of(1);
        stage.load(500, i -> "same");
        CountDownLatch rest = new CountDownLatch(499);
        CountDownLatch release = new CountDownLatch(1);

        try (Laneway _ = stage.consumer()
                .ordering(Ordering.UNORDERED)
                .concurrency(8)
                .process(record -> {
                    if (record.value().equals("3")) {
                        release.await();
                    }
                    rest.countDown();
                })) {
            assertThat(rest.await(LIMIT.toSeconds(), java.util.concurrent.TimeUnit.SECONDS))
                    .isTrue();
            release.countDown();
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
    }

    @Test
    @DisplayName("B21 by key: a slow key delays its own records and no others")
    void slowKey() {
        Stage stage = Stage.of(1);
        stage.load(500, i -> i % 10 == 3 ? "slow" : "key-" + i % 7);
        CountDownLatch release = new CountDownLatch(1);
        Journal journal = new Journal();

        try (Laneway _ = stage.consumer().concurrency(8).process(journal.watch(Journal.byKey(), record -> {
            if (record.key().equals("slow")) {
                release.await();
            }
        }))) {
            await().atMost(LIMIT).until(() -> journal.size() == 450);
            assertThat(journal.keys()).doesNotContain("slow");
            release.countDown();
            await().atMost(LIMIT).until(() -> journal.size() == 500);
        }
        assertThat(journal.violations()).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(NullKeys.class)
    @DisplayName("B22 records without a key keep their partition's order, or overlap if that is asked for")
    void nullKeys(NullKeys nullKeys) {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 40, i -> null);
        stage.loadInto(1, 40, i -> null);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Journal journal = new Journal();

        try (Laneway _ = stage.consumer().nullKeys(nullKeys).process(journal.watch(Journal.byKey(), record -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            work(millis(5));
            running.decrementAndGet();
        }))) {
            await().atMost(LIMIT).until(() -> journal.size() >= 80);
        }

        if (nullKeys == NullKeys.ORDERED) {
            assertThat(journal.violations()).isEmpty();
            assertThat(most.get()).isEqualTo(2);
        } else {
            assertThat(journal.violations()).isNotEmpty();
            assertThat(most.get()).isGreaterThan(10);
        }
    }

    @Test
    @DisplayName(
            "B22 keys are told apart by their bytes: empty is not null, equal bytes are one key, partitions are apart")
    void keysByContent() throws Exception {
        Stage stage = Stage.of(2);
        List<byte[]> keys = Arrays.asList(
                new byte[0], null, "AB".getBytes(UTF_8), "AB".getBytes(UTF_8), new byte[] {(byte) 0xff, 0}, new byte[] {
                    0
                });
        for (int partition = 0; partition < 2; partition++) {
            int to = partition;
            stage.kafka.produce(keys.stream()
                    .map(key -> new ProducerRecord<>(stage.topic, to, key, bytes("v")))
                    .toList());
        }
        Set<String> started = ConcurrentHashMap.newKeySet();
        CountDownLatch release = new CountDownLatch(1);

        try (Laneway _ = Laneway.consumer(stage.config(Map.of()))
                .subscribe(stage.topic)
                .process(record -> {
                    started.add(record.partition() + "@" + record.offset());
                    release.await();
                })) {
            // Of the six records of a partition only the second "AB" has to wait.
            await().atMost(LIMIT).until(() -> started.size() == 10);
            assertThat(started).doesNotContain("0@3", "1@3");
            release.countDown();
            await().atMost(LIMIT).until(() -> started.size() == 12);
        }
        assertThat(started.stream().map(record -> record.substring(0, 2)).collect(Collectors.toSet()))
                .containsExactlyInAnyOrder("0@", "1@");
    }

    @Test
    @DisplayName("B22 one key in two topics is two lanes")
    void oneKeyInTwoTopics() {
        Stage first = Stage.of(1);
        Stage second = Stage.of(1);
        first.load(1, i -> "same");
        second.load(1, i -> "same");
        Set<String> started = ConcurrentHashMap.newKeySet();
        CountDownLatch release = new CountDownLatch(1);

        try (Laneway _ = first.consumer().subscribe(first.topic, second.topic).process(record -> {
            started.add(record.topic());
            release.await();
        })) {
            await().atMost(LIMIT).until(() -> started.size() == 2);
            release.countDown();
        }
    }

    @Test
    @DisplayName("B23 hot keys do not starve the others: with one worker more than hot keys, those go on at once")
    void hotKeys() {
        Stage stage = Stage.of(1);
        int hot = 3;
        int each = 500;
        stage.load(hot * each, i -> "hot-" + i % hot);
        stage.load(100, i -> "cold-" + i);
        Journal journal = new Journal();

        try (Laneway _ = stage.consumer().concurrency(hot + 1).process(journal.watch(Journal.byKey(), record -> {
            work(millis(1));
        }))) {
            await().atMost(LIMIT).until(() -> journal.size() == hot * each + 100);
        }
        assertThat(journal.violations()).isEmpty();
        // The cold records stand behind all hot ones in the log.
        List<String> keys = journal.entries().stream().map(Journal.Entry::key).toList();
        int lastCold = IntStream.range(0, 100)
                .map(i -> keys.indexOf("cold-" + i))
                .max()
                .orElseThrow();
        assertThat(lastCold).isLessThan(hot * each * 3 / 4);
    }

    @Test
    @DisplayName("B23 B46 keys that fail for ever and keep every worker busy leave the others half of them")
    void failingKeysShare() {
        Stage stage = Stage.of(1);
        stage.load(100, i -> "failing-" + i);
        stage.load(200, i -> "good-" + i);
        Journal journal = new Journal();

        try (Laneway laneway = stage.consumer()
                .concurrency(2)
                .onFailure(FailurePolicy.retry(Backoff.fixed(millis(1))))
                .process(journal.note(record -> {
                    work(millis(1));
                    if (record.key().startsWith("failing")) {
                        throw new IllegalStateException("it always does");
                    }
                }))) {
            await().atMost(Duration.ofSeconds(15)).until(() -> journal.size() == 200);
            assertThat(laneway.snapshot().counters().retries()).isGreaterThan(200);
            laneway.close(Duration.ZERO);
        }
    }

    @Test
    @DisplayName("B23 ten thousand lanes share the workers: all have begun long before the first are through")
    void lanesShare() {
        int lanes = 10_000;
        int rounds = 4;
        Stage stage = Stage.of(1);
        stage.load(lanes * rounds, i -> "key-" + i % lanes);
        Journal journal = new Journal();

        try (Laneway _ = stage.consumer()
                .concurrency(100)
                .bufferRecords(lanes * rounds)
                .process(journal.watch(Journal.byKey(), _ -> work(millis(1))))) {
            await().atMost(LIMIT).until(() -> journal.size() == lanes * rounds);
        }
        assertThat(journal.violations()).isEmpty();
        List<Long> finished =
                journal.entries().stream().map(Journal.Entry::offset).toList();
        int lastFirst = IntStream.range(0, finished.size())
                .filter(i -> finished.get(i) < lanes)
                .max()
                .orElseThrow();
        // If it is fair, the first round ends before the third begins; without turns, one would come last.
        assertThat(lastFirst).isLessThan(3 * lanes);
    }
}
