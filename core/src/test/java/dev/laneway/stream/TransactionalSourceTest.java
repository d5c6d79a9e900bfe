package dev.laneway.stream;

import static dev.laneway.stream.SourceStage.LIMIT;
import static dev.laneway.stream.SourceStage.join;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.laneway.Around;
import dev.laneway.BrokerException;
import dev.laneway.FailurePolicy;
import dev.laneway.RecordFailedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams that read, compute and write: readers of committed records see each input's outputs once. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Exactly-once streams on a real broker")
class TransactionalSourceTest {
    private static final int RECORDS = 2_000;
    private static final int KEYS = 37;

    private final SourceStage stage = new SourceStage(3);
    private final String out = stage.topic + ".out";

    TransactionalSourceTest() {
        stage.kafka.createTopic(out, 2);
    }

    private TransactionSettings<String, String> transactions() {
        return transactions(stage.topic);
    }

    private static TransactionSettings<String, String> transactions(String id) {
        return TransactionSettings.of(id, new StringSerializer(), new StringSerializer())
                .withInterval(Duration.ofMillis(20));
    }

    private TransactionSettings<String, String> spoilt(Around around) {
        return transactions()
                .withClients(() -> around.producer(Map.of(
                        "bootstrap.servers", stage.kafka.bootstrapServers(), "transactional.id", stage.topic + "-0-0")))
                .withMaxBatch(100);
    }

    private ConsumerSettings<String, String> settings() {
        return stage.settings().withCloseLimit(Duration.ofSeconds(5));
    }

    private void load(int from, int to) {
        List<ProducerRecord<byte[], byte[]>> batch = new ArrayList<>();
        for (int i = from; i < to; i++) {
            batch.add(new ProducerRecord<>(
                    stage.topic,
                    ("key-" + i % KEYS).getBytes(UTF_8),
                    Integer.toString(i).getBytes(UTF_8)));
        }
        stage.kafka.produce(batch);
    }

    /** The number of the input, and nothing for each fifth. */
    private Envelope<String, String, CommittableRecord<String, String>> computed(
            CommittableRecord<String, String> record) {
        return Integer.parseInt(record.value()) % 5 == 0
                ? Envelope.passThrough(record)
                : Envelope.single(new ProducerRecord<>(out, record.key(), record.value()), record);
    }

    private Control run(ConsumerSettings<String, String> settings, TransactionSettings<String, String> transactions) {
        return KafkaSource.transactional(settings, stage.all(), transactions)
                .mapByKey(8, CommittableRecord::key, this::computed)
                .to(KafkaSink.transactional(transactions));
    }

    private List<ConsumerRecord<byte[], byte[]>> committed() {
        Map<TopicPartition, Long> ends = stage.kafka.endOffsets(out);
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        try (Consumer<byte[], byte[]> reader =
                stage.kafka.consumer(Map.of("group.id", "reader-of-" + out, "isolation.level", "read_committed"))) {
            reader.assign(ends.keySet());
            reader.seekToBeginning(ends.keySet());
            await().atMost(LIMIT).until(() -> {
                reader.poll(Duration.ofMillis(50)).forEach(all::add);
                return ends.entrySet().stream().allMatch(end -> reader.position(end.getKey()) >= end.getValue());
            });
        }
        return all;
    }

    private void outputsAreThereOnce(int records) {
        List<ConsumerRecord<byte[], byte[]>> all = committed();
        assertThat(all.stream().map(record -> Integer.parseInt(new String(record.value(), UTF_8))))
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, records)
                        .filter(i -> i % 5 != 0)
                        .boxed()
                        .toList());
        Map<String, List<Integer>> byKey = all.stream()
                .collect(Collectors.groupingBy(
                        record -> new String(record.key(), UTF_8),
                        Collectors.mapping(
                                record -> Integer.parseInt(new String(record.value(), UTF_8)), Collectors.toList())));
        assertThat(byKey.values()).allSatisfy(values -> assertThat(values).isSorted());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"beginTransaction", "send", "sendOffsetsToTransaction", "commitTransaction", "after the commit"})
    @DisplayName("B60 a stream that dies at any point of the cycle: each input's outputs are there once, in key order")
    void diesAnywhere(String point) throws Exception {
        load(0, RECORDS);
        AtomicInteger calls = new AtomicInteger();
        AtomicBoolean dead = new AtomicBoolean();
        Around dying = (method, arguments, real) -> {
            boolean after = point.equals("after the commit") && method.equals("commitTransaction");
            boolean now = !dead.get()
                    && (after || method.equals(point))
                    && calls.incrementAndGet() == (method.equals("send") ? 300 : 3);
            if (now && after) {
                var _ = real.call();
            }
            if (now) {
                dead.set(true);
            }
            if (dead.get() && !method.equals("close")) {
                throw new AssertionError("the process has died"); // Whatever it tries from now on never happens.
            }
            return real.call();
        };
        Control first = run(settings().withCloseLimit(Duration.ZERO), spoilt(dying));
        assertThatThrownBy(() -> join(first.completion())).hasCauseInstanceOf(BrokerException.class);
        Control second = run(settings(), transactions());
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        join(second.drainAndShutdown(LIMIT));
        outputsAreThereOnce(RECORDS);
    }

    @Test
    @DisplayName("B61 an aborted transaction is written again, in order, and no record is delivered twice")
    void repeatsAborted() throws Exception {
        load(0, RECORDS);
        AtomicInteger calls = new AtomicInteger();
        Around failing = (method, arguments, real) -> {
            if (method.equals("sendOffsetsToTransaction") && calls.incrementAndGet() % 2 == 1) {
                throw new KafkaException("spoilt by the test");
            }
            return real.call();
        };
        TransactionSettings<String, String> transactions = spoilt(failing);
        Map<String, Integer> delivered = new ConcurrentHashMap<>();
        Control control = KafkaSource.transactional(settings(), stage.all(), transactions)
                .map(record -> {
                    delivered.merge(record.value(), 1, Integer::sum);
                    return computed(record);
                })
                .to(KafkaSink.transactional(transactions));
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        join(control.drainAndShutdown(LIMIT));
        assertThat(calls.get()).isGreaterThan(2);
        assertThat(delivered)
                .hasSize(RECORDS)
                .allSatisfy((value, times) -> assertThat(times).isEqualTo(1));
        outputsAreThereOnce(RECORDS);
    }

    @Test
    @DisplayName("B61 B78 what the broker refuses for good is skipped, or stops the stream with the record's name")
    void refused() throws Exception {
        load(0, 50);
        TransactionSettings<String, String> stopping = transactions();
        Control stopped = large(stopping);
        assertThatThrownBy(() -> join(stopped.completion()))
                .cause()
                .isInstanceOf(RecordFailedException.class)
                .hasMessageContaining("what it emits cannot be sent");
        Control skipping = large(stopping.withOnFailure(FailurePolicy.skip()));
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        join(skipping.drainAndShutdown(LIMIT));
        assertThat(committed().stream().map(record -> Integer.parseInt(new String(record.value(), UTF_8))))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 50).filter(i -> i != 17).boxed().toList());
    }

    private Control large(TransactionSettings<String, String> transactions) {
        return KafkaSource.transactional(settings(), stage.all(), transactions)
                .map(record -> Envelope.single(
                        new ProducerRecord<>(
                                out, record.key(), record.value().equals("17") ? "x".repeat(3 << 20) : record.value()),
                        record))
                .to(KafkaSink.transactional(transactions));
    }

    @Test
    @DisplayName("B61 fenced by another process of the same name: the stream fails and says why")
    void fenced() throws Exception {
        load(0, 100);
        Control first = run(settings(), transactions());
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        Control second = run(settings(), transactions());
        await().atMost(LIMIT).until(() -> owners() == 2);
        load(100, 300);
        assertThatThrownBy(() -> join(first.completion()))
                .cause()
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining("fenced")
                .hasMessageContaining("transactionalId");
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        join(second.drainAndShutdown(LIMIT));
        outputsAreThereOnce(300);
    }

    private long owners() throws Exception {
        return stage
                .kafka
                .admin()
                .describeConsumerGroups(List.of(stage.group))
                .all()
                .get()
                .get(stage.group)
                .members()
                .stream()
                .filter(member -> !member.assignment().topicPartitions().isEmpty())
                .count();
    }

    @Test
    @DisplayName(
            "B60 a member of the past can write nothing: its transaction is refused, and its records are read again")
    void zombie() throws Exception {
        load(0, 200);
        CountDownLatch offsets = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger commits = new AtomicInteger();
        Around slow = (method, arguments, real) -> {
            if (method.equals("sendOffsetsToTransaction") && offsets.getCount() > 0) {
                offsets.countDown();
                go.await();
            }
            if (method.equals("commitTransaction")) {
                commits.incrementAndGet();
            }
            return real.call();
        };
        Control control = run(settings(), spoilt(slow));
        offsets.await();
        stage.kafka
                .admin()
                .removeMembersFromConsumerGroup(stage.group, new RemoveMembersFromConsumerGroupOptions())
                .all()
                .get();
        // The next member, with another name, has all partitions while the first one's transaction is open.
        Control other = run(settings(), transactions(stage.topic + "-other"));
        go.countDown();
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        join(other.drainAndShutdown(LIMIT));
        join(control.drainAndShutdown(LIMIT));
        outputsAreThereOnce(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B63 members come and go with transactions open: nothing is written twice or lost")
    void revokedWithTransactionOpen(String protocol) throws Exception {
        load(0, 6_000);
        ConsumerSettings<String, String> settings = protocol.equals("classic")
                ? settings()
                : ConsumerSettings.of(
                                Map.of(
                                        "bootstrap.servers",
                                        stage.kafka.bootstrapServers(),
                                        "group.id",
                                        stage.group,
                                        "auto.offset.reset",
                                        "earliest",
                                        "group.protocol",
                                        "consumer"),
                                stage.settings().keyDeserializer(),
                                stage.settings().valueDeserializer())
                        .withCloseOnShutdown(false);
        Control first = working(settings, transactions(stage.topic + "first").withProducers(2));
        for (int round = 0; round < 3; round++) {
            AtomicBoolean delivered = new AtomicBoolean();
            TransactionSettings<String, String> transactions =
                    transactions(stage.topic + "second").withProducers(2);
            // A stream and a sink for each partition.
            Control second = KafkaSource.transactionalPartitioned(settings, stage.all(), transactions)
                    .map(stream -> {
                        delivered.set(true);
                        return stream.source().map(this::computed).to(KafkaSink.transactional(transactions));
                    })
                    .run();
            await().atMost(LIMIT).until(() -> delivered.get() || first.isShutdown());
            join(second.drainAndShutdown(LIMIT));
        }
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        join(first.drainAndShutdown(LIMIT));
        outputsAreThereOnce(6_000);
    }

    private Control working(
            ConsumerSettings<String, String> settings, TransactionSettings<String, String> transactions) {
        return KafkaSource.transactional(settings, stage.all(), transactions)
                .mapByKey(8, CommittableRecord::key, record -> {
                    LockSupport.parkNanos(1_000_000);
                    return computed(record);
                })
                .to(KafkaSink.transactional(transactions));
    }

    @Test
    @DisplayName(
            "B70 a full batch is committed before its time, the rest when the stream is drained, or its partition goes")
    void beforeItsTime() throws Exception {
        stage.load(0, 0, 250);
        TransactionSettings<String, String> transactions =
                transactions().withInterval(Duration.ofHours(1)).withMaxBatch(100);
        AtomicInteger computed = new AtomicInteger();
        // In order: by key, the first may be the last to come, and what stands behind it is not committed.
        Control first = KafkaSource.transactional(settings(), stage.all(), transactions)
                .map(record -> {
                    computed.incrementAndGet();
                    return computed(record);
                })
                .to(KafkaSink.transactional(transactions));
        await().atMost(LIMIT).until(() -> stage.committed(0) >= 200);
        // What was not begun would wait for an hour with the next member.
        await().atMost(LIMIT).until(() -> computed.get() == 250);
        TransactionSettings<String, String> others = transactions(stage.topic + "-other");
        Control second = run(settings(), others);
        await().atMost(LIMIT).until(() -> stage.committed(0) == 250);
        stage.load(1, 250, 260);
        stage.load(2, 260, 270);
        join(second.drainAndShutdown(LIMIT));
        await().atMost(LIMIT).until(() -> stage.committed(0) == 250);
        join(first.drainAndShutdown(LIMIT));
        Control last = run(settings(), others);
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        join(last.drainAndShutdown(LIMIT));
        outputsAreThereOnce(270);
    }

    @Test
    @DisplayName(
            "B64 records that make nothing advance the offsets, acknowledged or passed through; idle, nothing is begun")
    void filtered() throws Exception {
        load(0, 100);
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger polls = new AtomicInteger();
        Around counting = (method, arguments, real) -> {
            if (method.equals("beginTransaction")) {
                begun.incrementAndGet();
            }
            return real.call();
        };
        TransactionSettings<String, String> transactions = spoilt(counting);
        Control control = KafkaSource.transactional(settings(), stage.all(), transactions)
                .map(record -> {
                    record.acknowledge();
                    return record;
                })
                .run();
        await().atMost(LIMIT).until(stage::isCommittedToEnd);
        int before = begun.get();
        await().pollInterval(Duration.ofMillis(50)).until(() -> polls.incrementAndGet() > 10);
        assertThat(begun.get()).isEqualTo(before).isPositive();
        join(control.drainAndShutdown(LIMIT));
        assertThat(committed()).isEmpty();
    }

    @Test
    @DisplayName("B79 what passes through the flow comes out in order, when its transaction is committed, not before")
    void flow() throws Exception {
        stage.load(0, 0, 100);
        TransactionSettings<String, String> transactions = transactions().withMaxBatch(10);
        Set<Long> early = ConcurrentHashMap.newKeySet();
        AtomicLong stable = new AtomicLong();
        Probe<CommittableRecord<String, String>> probe = new Probe<>(20, record -> {
            long offset = record.record().offset();
            if (offset >= stable.get()) {
                stable.set(stableOffset());
            }
            if (offset >= stable.get()) {
                early.add(offset);
            }
        });
        Source<CommittableRecord<String, String>> source =
                KafkaSource.transactional(settings(), stage.all(), transactions);
        source.map(this::computed)
                .via(KafkaSink.transactionalFlow(transactions))
                .subscribe(probe);
        await().atMost(LIMIT).until(() -> probe.size() == 20);
        await().atMost(LIMIT).until(() -> stage.committed(0) >= 40);
        assertThat(stage.committed(0)).as("the stream above waits").isLessThan(100);
        probe.request(Long.MAX_VALUE);
        await().atMost(LIMIT).until(() -> probe.size() == 100);
        assertThat(probe.elements().stream().map(record -> record.record().offset()))
                .isSorted();
        assertThat(early).isEmpty();
        assertThat(probe.violations()).isEmpty();
        source.control().stop();
        join(source.control().completion());
    }

    /** The committed offset, when the coordinator has finished what it has already promised to commit. */
    private long stableOffset() {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", stage.kafka.bootstrapServers()))) {
            OffsetAndMetadata committed = null;
            while (committed == null) { // Kafka's client leaves out an offset that a transaction is about to change.
                committed = admin.listConsumerGroupOffsets(
                                stage.group, new ListConsumerGroupOffsetsOptions().requireStable(true))
                        .partitionsToOffsetAndMetadata()
                        .get()
                        .get(stage.partition(0));
            }
            return committed.offset();
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
