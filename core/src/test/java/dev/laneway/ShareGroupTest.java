package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Records of a member of a share group, and their acknowledgements. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Share groups on a real broker")
@Tag("share-groups")
class ShareGroupTest {
    private static final Backoff SOON = Backoff.fixed(millis(10));

    private final ShareStage share = new ShareStage(3);
    private final Stage stage = share.stage;
    private final Map<String, AtomicInteger> handled = share.handled;

    private LanewayBuilder<String, String> member() {
        return share.member();
    }

    private LanewayBuilder<String, String> member(Map<String, ?> more) {
        return share.member(more);
    }

    private void note(ConsumerRecord<String, String> record) {
        share.note(record);
    }

    private int times(String value) {
        return share.times(value);
    }

    private boolean isAllAcknowledged() {
        return share.isAllAcknowledged();
    }

    @Test
    @DisplayName("B91 several members share partitions: each record is handled, and acknowledged when it is done")
    void several() {
        stage.load(3_000, i -> "k" + i % 10);
        try (Laneway a = member().consumers(2).process(this::note);
                Laneway b = member().process(this::note)) {
            await().atMost(LIMIT).until(() -> handled.size() == 3_000 && isAllAcknowledged());
            assertThat(handled.values()).allMatch(times -> times.get() == 1);
            assertThat(a.health().status()).isEqualTo(Health.Status.UP);
            assertThat(b.drain(LIMIT)).isTrue();
            assertThat(a.snapshot().counters().processed()
                            + b.snapshot().counters().processed())
                    .isEqualTo(3_000);
        }
    }

    @Test
    @DisplayName("B91 a failure is tried again here, then dead-lettered with its attempts, and acknowledged")
    void deadLetter() {
        String dlq = stage.topic + ".dlq";
        stage.kafka.createTopic(dlq, 1);
        stage.load(20, i -> null);
        Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
        try (Laneway laneway = member().onFailure(FailurePolicy.retry(SOON, 3).thenDeadLetter(dlq))
                .process((record, context) -> {
                    note(record);
                    if (record.value().equals("7")) {
                        attempts.add(context.attempt());
                        throw new IllegalStateException("poison");
                    }
                    return Outcome.done();
                })) {
            await().atMost(LIMIT).until(this::isAllAcknowledged);
            assertThat(attempts).containsExactly(1, 2, 3);
            ConsumerRecord<byte[], byte[]> letter = stage.read(dlq, 1).getFirst();
            assertThat(text(letter.value())).isEqualTo("7");
            assertThat(text(letter.headers()
                            .lastHeader(DeadLetterHeaders.ATTEMPTS)
                            .value()))
                    .isEqualTo("3");
            assertThat(laneway.snapshot().counters().deadLettered()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("B91 what is given up without a dead letter is rejected, and delivered to nobody again")
    void rejected() {
        stage.load(10, i -> null);
        Queue<String> rejected = new ConcurrentLinkedQueue<>();
        Around noting = (method, arguments, real) -> {
            if (method.equals("acknowledge") && arguments[1] == AcknowledgeType.REJECT) {
                ConsumerRecord<?, ?> record = (ConsumerRecord<?, ?>) arguments[0];
                rejected.add(String.valueOf(text((byte[]) record.value())));
            }
            return real.call();
        };
        Map<String, Object> config = share.config(Map.of("share.acknowledgement.mode", "explicit"));
        try (Laneway laneway = stage.strings(Laneway.shareConsumer(config, () -> noting.shareConsumer(config)))
                .onFailure(FailurePolicy.retry(SOON, 2).thenSkip())
                .process((record, context) -> {
                    note(record);
                    return switch (record.value()) {
                        case "3" -> throw new IllegalStateException("poison");
                        case "4" -> Outcome.skip("old");
                        case "5" -> Outcome.deadLetter("no topic for it");
                        default -> Outcome.done();
                    };
                })) {
            await().atMost(LIMIT).until(this::isAllAcknowledged);
            assertThat(times("3")).isEqualTo(2);
            assertThat(times("4")).isEqualTo(1);
            assertThat(times("5")).isEqualTo(1);
            assertThat(laneway.snapshot().counters().skipped()).isEqualTo(3);
        }
        assertThat(rejected).containsExactlyInAnyOrder("3", "5");
    }

    @Test
    @DisplayName("B91 stop ends the member and releases what is not done: the next one gets it, delivered once more")
    void stop() {
        stage.loadInto(0, 10, i -> null);
        try (Laneway stopping = member().concurrency(1).process((record, context) -> {
            note(record);
            return record.value().equals("4") ? Outcome.stop("full") : Outcome.done();
        })) {
            await().atMost(LIMIT).until(() -> stopping.state() == State.FAILED);
            assertThat(stopping.failure()).containsInstanceOf(RecordFailedException.class);
        }
        Map<String, Integer> attempts = new ConcurrentHashMap<>();
        try (Laneway next = member().process((record, context) -> {
            note(record);
            attempts.put(record.value(), (int) record.deliveryCount().orElseThrow());
            return Outcome.done();
        })) {
            await().atMost(LIMIT).until(this::isAllAcknowledged);
            assertThat(attempts).containsEntry("4", 2).doesNotContainKeys("0", "1", "2", "3");
            assertThat(handled).hasSize(10);
            assertThat(next.failure()).isEmpty();
        }
    }

    @Test
    @DisplayName("B92 locks of a member that is gone end, and its records are handled by another")
    void crash() {
        share.group("share.record.lock.duration.ms", "1000");
        stage.load(50, i -> null);
        Map<String, Object> raw =
                share.config(Map.of("share.acknowledgement.mode", "explicit", "max.poll.interval.ms", 1_000));
        try (ShareConsumer<byte[], byte[]> gone =
                new KafkaShareConsumer<>(raw, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            gone.subscribe(List.of(stage.topic));
            AtomicInteger taken = new AtomicInteger();
            await().atMost(LIMIT).until(() -> {
                ConsumerRecords<byte[], byte[]> records = gone.poll(millis(200));
                return taken.addAndGet(records.count()) > 0;
            });
            // It keeps its records and polls no more: it is thrown out of the group, as a killed process.
            AtomicInteger again = new AtomicInteger();
            try (Laneway laneway = member().process((record, context) -> {
                note(record);
                if (record.deliveryCount().orElseThrow() > 1) {
                    again.incrementAndGet();
                }
                return Outcome.done();
            })) {
                await().atMost(LIMIT).until(() -> handled.size() == 50 && isAllAcknowledged());
                assertThat(again).hasValueGreaterThanOrEqualTo(taken.get());
                assertThat(laneway.health().status()).isEqualTo(Health.Status.UP);
            }
        }
    }

    @Test
    @DisplayName("B91 a handler that takes longer than the lock keeps its record, since the lock is renewed")
    void renewal() {
        share.group("share.record.lock.duration.ms", "1000");
        stage.loadInto(0, 6, i -> null);
        CountDownLatch slow = new CountDownLatch(1);
        RecordHandler<String, String> handler = record -> {
            note(record);
            if (record.value().equals("2")) {
                assertThat(slow.await(LIMIT.toSeconds(), java.util.concurrent.TimeUnit.SECONDS))
                        .isTrue();
            }
        };
        try (Laneway a = member().process(handler);
                Laneway b = member().process(handler)) {
            await().atMost(LIMIT).until(() -> handled.size() == 6);
            Laneway holder = a.assignment().isEmpty() ? b : a;
            // Each renewal is confirmed: more of them than two locks last.
            long confirmed = holder.snapshot().counters().commits();
            await().atMost(LIMIT).until(() -> holder.snapshot().counters().commits() >= confirmed + 8);
            assertThat(times("2")).isEqualTo(1);
            slow.countDown();
            await().atMost(LIMIT).until(this::isAllAcknowledged);
            assertThat(handled.values()).allMatch(times -> times.get() == 1);
            assertThat(holder.snapshot().counters().failedCommits()).isZero();
        }
    }

    @Test
    @DisplayName("B92 close gives back what it has not done: another member gets it long before the locks would end")
    void closeReleases() {
        stage.loadInto(0, 10, i -> null);
        CountDownLatch never = new CountDownLatch(1);
        CompletableFuture<String> interrupted = new CompletableFuture<>();
        try (Laneway closing = member(Map.of("max.poll.records", 10))
                .concurrency(1)
                .process(record -> {
                    try {
                        never.await();
                    } catch (InterruptedException given) {
                        interrupted.complete(record.value());
                        throw given;
                    }
                })) {
            await().atMost(LIMIT).until(() -> closing.snapshot().held() == 10);
            closing.close(millis(100));
            assertThat(closing.state()).isEqualTo(State.CLOSED);
            assertThat(interrupted).isCompletedWithValue("0");
        }
        try (Laneway next = member().process(this::note)) {
            await().atMost(Duration.ofSeconds(15)).until(() -> handled.size() == 10 && isAllAcknowledged());
            assertThat(next.failure()).isEmpty();
        }
    }

    @Test
    @DisplayName("B92 pause gives back what has not started and takes nothing; resume takes records again")
    void pause() {
        stage.loadInto(0, 10, i -> null);
        CountDownLatch go = new CountDownLatch(1);
        try (Laneway a = member().concurrency(1).process(record -> {
            note(record);
            go.await();
        })) {
            await().atMost(LIMIT).until(() -> handled.size() == 1);
            a.pause();
            go.countDown();
            try (Laneway b = member().process(this::note)) {
                await().atMost(LIMIT).until(() -> handled.size() == 10 && isAllAcknowledged());
                assertThat(b.drain(LIMIT)).isTrue();
            }
            assertThat(handled.values()).allMatch(times -> times.get() == 1);
            assertThat(a.health().reasons()).anyMatch(one -> one.startsWith("paused by the user"));
            assertThat(a.snapshot().held()).isZero();
            a.resume();
            stage.load(10, 10, i -> null);
            await().atMost(LIMIT).until(() -> handled.size() == 20 && isAllAcknowledged());
        }
    }

    @Test
    @DisplayName("B91 asynchronous handlers, batches and transformations work as with a consumer group")
    void verbs() {
        String out = stage.topic + ".out";
        stage.kafka.createTopic(out, 1);
        stage.load(100, i -> null);
        try (Laneway async = member().processAsync((record, context) -> CompletableFuture.supplyAsync(() -> {
            note(record);
            return Outcome.done();
        }))) {
            await().atMost(LIMIT).until(() -> handled.size() == 100 && isAllAcknowledged());
            assertThat(async.drain(LIMIT)).isTrue();
        }
        stage.load(100, 100, i -> null);
        try (Laneway batches = member().processBatch(10, Duration.ZERO, records -> {
            assertThat(records).hasSizeLessThanOrEqualTo(10);
            records.forEach(this::note);
            return BatchOutcome.done();
        })) {
            await().atMost(LIMIT).until(() -> handled.size() == 200 && isAllAcknowledged());
            assertThat(batches.drain(LIMIT)).isTrue();
        }
        stage.load(200, 100, i -> null);
        try (Laneway transform = member().transform(
                        new StringSerializer(),
                        new StringSerializer(),
                        record -> List.of(new ProducerRecord<>(out, record.value())))) {
            await().atMost(LIMIT).until(this::isAllAcknowledged);
            assertThat(stage.read(out, 100)).hasSize(100);
            assertThat(transform.drain(LIMIT)).isTrue();
        }
        assertThat(handled.values()).allMatch(times -> times.get() == 1);
    }

    @Test
    @DisplayName("B91 drain finishes what is held, retries included, and takes nothing more")
    void drain() {
        stage.load(200, i -> null);
        try (Laneway laneway = member(Map.of("max.poll.records", 20))
                .onFailure(FailurePolicy.retry(SOON))
                .process((record, context) -> {
                    if (context.attempt() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    note(record);
                    return Outcome.done();
                })) {
            await().atMost(LIMIT).until(() -> !handled.isEmpty());
            assertThat(laneway.drain(LIMIT)).isTrue();
            assertThat(laneway.snapshot().held()).isZero();
            assertThat(laneway.snapshot().counters().processed()).isEqualTo(handled.size());
        }
        try (Laneway next = member().process(this::note)) {
            await().atMost(LIMIT).until(() -> handled.size() == 200 && isAllAcknowledged());
            assertThat(next.failure()).isEmpty();
        }
        assertThat(handled.values()).allMatch(times -> times.get() == 1);
    }

    @Test
    @DisplayName("B91 what only partitions of one's own can do is refused while it runs")
    void refusedCalls() {
        TopicPartition any = stage.partition(0);
        try (Laneway laneway = member().process(this::note)) {
            assertThatThrownBy(() -> laneway.seek(any, 0)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> laneway.pause(List.of(any))).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> laneway.resume(List.of(any)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("share group hands out records");
        }
    }
}
