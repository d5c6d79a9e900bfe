package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.bytes;
import static dev.laneway.Stage.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records that are ordered by a header or a field in place of their key. */
class LaneKeyTest {
    private static final LaneKey CUSTOMER = LaneKey.header("customer");

    /** Records 0, 1, 2... of one partition, each with a key of its own and this header, unless that is null. */
    private static void load(Stage stage, int records, IntFunction<@Nullable String> customer) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>(records);
        for (int i = 0; i < records; i++) {
            String value = customer.apply(i);
            RecordHeaders headers = new RecordHeaders();
            if (value != null) {
                headers.add("customer", bytes("not the last")).add("customer", bytes(value));
            }
            batch.add(new ProducerRecord<>(
                    stage.topic, 0, null, bytes("order-" + i), bytes(Integer.toString(i)), headers));
        }
        stage.kafka.produce(batch);
    }

    private static String customer(ConsumerRecord<?, ?> record) {
        return String.valueOf(text(record.headers().lastHeader("customer").value()));
    }

    private static Journal.Lane<String, String> byCustomer() {
        return LaneKeyTest::customer;
    }

    @Test
    @DisplayName("B136 records with the same header run one at a time, in order, whatever their keys; others overlap")
    void ordersByHeader() {
        Stage stage = Stage.of(1);
        load(stage, 200, i -> "customer-" + i % 4);
        Journal journal = new Journal();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Map<String, Set<String>> names = new ConcurrentHashMap<>();
        try (Laneway _ = stage.consumer().laneKey(CUSTOMER).process((record, context) -> {
            names.computeIfAbsent(customer(record), _ -> ConcurrentHashMap.newKeySet())
                    .add(context.lane());
            journal.watch(byCustomer(), one -> {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        Stage.work(Duration.ofMillis(3));
                        running.decrementAndGet();
                    })
                    .handle(record);
            return Outcome.done();
        })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(journal.size()).isEqualTo(200);
        assertThat(journal.violations()).isEmpty();
        assertThat(most.get()).isBetween(2, 4);
        assertThat(names).hasSize(4).allSatisfy((_, lane) -> assertThat(lane).hasSize(1));
    }

    @Test
    @DisplayName("B136 the extractor is called once for each record, on the thread that polls")
    void isCalledOnce() {
        Stage stage = Stage.of(1);
        load(stage, 500, i -> "customer-" + i % 50);
        List<Long> called = Collections.synchronizedList(new ArrayList<>());
        Set<String> threads = ConcurrentHashMap.newKeySet();
        LaneKey counted = LaneKey.of("counted", record -> {
            called.add(record.offset());
            threads.add(Thread.currentThread().getName());
            return CUSTOMER.extractor().extract(record);
        });
        try (Laneway _ = stage.consumer()
                .name(stage.topic)
                .laneKey(counted)
                .process(record -> Stage.work(Duration.ofMillis(1)))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(called).hasSize(500).doesNotHaveDuplicates().isSorted();
        assertThat(threads).hasSize(1).allMatch(name -> name.startsWith(stage.topic));
    }

    @Test
    @DisplayName("B136 the handler sees the record as it was fetched: its own key, headers, time and leader epoch")
    void handlerSeesTheRecord() {
        Stage stage = Stage.of(1);
        load(stage, 3, i -> "customer");
        List<ConsumerRecord<byte[], byte[]>> fetched = stage.read(stage.topic, 3);
        Map<Long, String> seen = new ConcurrentHashMap<>();
        try (Laneway _ = Laneway.consumer(stage.config(Map.of()))
                .subscribe(stage.topic)
                .laneKey(CUSTOMER)
                .process(record -> {
                    seen.put(record.offset(), whole(record));
                })) {
            await().atMost(LIMIT).until(() -> seen.size() == 3);
        }
        assertThat(new TreeMap<>(seen).values())
                .containsExactlyElementsOf(
                        fetched.stream().map(LaneKeyTest::whole).toList());
    }

    private static String whole(ConsumerRecord<byte[], byte[]> record) {
        return text(record.key()) + " " + text(record.value()) + " " + record.headers() + " " + record.timestamp() + " "
                + record.timestampType() + " " + record.serializedKeySize() + " " + record.serializedValueSize() + " "
                + record.leaderEpoch() + " " + record.partition() + " " + record.topic();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(NullKeys.class)
    @DisplayName("B136 records without a lane key keep their partition's order, or overlap if that is asked for")
    void withoutLaneKey(NullKeys nullKeys) {
        Stage stage = Stage.of(1);
        load(stage, 40, i -> null);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Journal journal = new Journal();
        try (Laneway _ = stage.consumer().laneKey(CUSTOMER).nullKeys(nullKeys).process(journal.note(record -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            Stage.work(Duration.ofMillis(10));
            running.decrementAndGet();
        }))) {
            await().atMost(LIMIT).until(() -> journal.size() == 40);
        }
        if (nullKeys == NullKeys.ORDERED) {
            assertThat(most.get()).isEqualTo(1);
        } else {
            assertThat(most.get()).isGreaterThan(5);
        }
    }

    @Test
    @DisplayName("B136 a record whose lane key cannot be found fails by itself, with the cause; all others go on")
    void extractorFails() {
        Stage stage = Stage.of(1);
        String letters = stage.topic + ".dlq";
        stage.kafka.createTopic(letters, 1);
        load(stage, 30, i -> "customer-" + i % 3);
        LaneKey failing = LaneKey.of("number", record -> {
            if (record.offset() == 4) {
                throw new StackOverflowError("too deep for a lane key");
            }
            return Integer.parseInt(String.valueOf(text(record.value()))) == 7 ? null : record.key();
        });
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer()
                .laneKey(failing)
                .onFailure(FailurePolicy.retry(Backoff.fixed(Duration.ofMillis(5)), 2)
                        .on(LaneKeyException.class, FailurePolicy.deadLetter(letters)))
                .process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.health().status()).isEqualTo(Health.Status.UP);
        }
        assertThat(journal.offsets(0))
                .containsExactlyElementsOf(IntStream.range(0, 30)
                        .filter(i -> i != 4)
                        .mapToObj(Long::valueOf)
                        .collect(Collectors.toSet()));
        ConsumerRecord<byte[], byte[]> letter = stage.read(letters, 1).getFirst();
        assertThat(text(letter.key())).isEqualTo("order-4");
        assertThat(letter.headers().toString()).contains("laneway");
    }

    @Test
    @DisplayName("B136 in a batch, too, a record without a known lane key fails by itself")
    void batches() {
        Stage stage = Stage.of(1);
        load(stage, 30, i -> "customer-" + i % 3);
        LaneKey failing = LaneKey.of("number", record -> {
            throw new IllegalArgumentException("none");
        });
        CountDownLatch called = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer()
                .laneKey(failing)
                .onFailure(FailurePolicy.skip())
                .processBatch(10, Duration.ZERO, batch -> {
                    called.countDown();
                    return BatchOutcome.done();
                })) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().counters().skipped()).isEqualTo(30);
        }
        assertThat(called.getCount()).isEqualTo(1);
    }

    @Test
    @DisplayName("B136 a lane key that cannot work is refused with its name, rule and remedy")
    void refusals() {
        assertThatThrownBy(() -> LaneKey.of(" ", record -> null))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("laneKey.id");
        assertThatThrownBy(() -> LaneKey.header("x".repeat(250)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("at most 249");
        for (Ordering ordering : List.of(Ordering.PARTITION, Ordering.UNORDERED)) {
            assertThatThrownBy(() -> Laneway.consumer(Map.of("group.id", "g", "bootstrap.servers", "localhost:1"))
                            .subscribe("t")
                            .ordering(ordering)
                            .laneKey(CUSTOMER)
                            .process(record -> {}))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("laneKey")
                    .hasMessageContaining("header customer")
                    .hasMessageContaining("choose Ordering.KEY");
        }
        assertThatThrownBy(() -> Laneway.shareConsumer(Map.of("group.id", "g", "bootstrap.servers", "localhost:1"))
                        .subscribe("t")
                        .laneKey(CUSTOMER)
                        .process(record -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("laneKey")
                .hasMessageContaining("share group");
    }
}
