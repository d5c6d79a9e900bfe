package dev.laneway;

import static dev.laneway.HealthFaultsTest.expect;
import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockShareConsumer;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The broker delivers a record a limited number of times, so a member wastes none of them. */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("What a share group's members do with the deliveries that a record has")
@Tag("share-groups")
class ShareDeliveryTest {
    private final ShareStage share = new ShareStage(1);
    private final Stage stage = share.stage;

    private static Set<String> values(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).collect(Collectors.toSet());
    }

    @Test
    @DisplayName("B100 twelve clean restarts in the midst of the work leave no record undone, and waste no delivery")
    void restarts() {
        stage.loadInto(0, 40, i -> null);
        Queue<Integer> deliveries = new ConcurrentLinkedQueue<>();
        for (int restart = 0; restart < 12; restart++) {
            int before = share.handled.size();
            CountDownLatch closing = new CountDownLatch(1);
            AtomicBoolean isFirst = new AtomicBoolean(true);
            try (Laneway member = share.member(Map.of("max.poll.records", 40))
                    .concurrency(1)
                    .process(record -> {
                        if (!isFirst.getAndSet(false)) {
                            closing.await();
                        }
                        deliveries.add((int) record.deliveryCount().orElseThrow());
                        share.note(record);
                    })) {
                if (before < 40) {
                    await().atMost(LIMIT).until(() -> share.handled.size() > before);
                }
                assertThat(member.failure()).isEmpty();
                CompletableFuture<Void> closed = CompletableFuture.runAsync(member::close);
                await().atMost(LIMIT).until(() -> member.state() != State.RUNNING);
                closing.countDown();
                await().atMost(LIMIT).until(closed::isDone);
                closed.join();
            } finally {
                closing.countDown();
            }
        }
        assertThat(share.handled.keySet()).isEqualTo(values(0, 40));
        assertThat(deliveries).hasSize(40).containsOnly(1);
        assertThat(share.isAllAcknowledged()).isTrue();
    }

    @Test
    @DisplayName("B100 a member holds no more than its workers have started, so a hasty close wastes few deliveries")
    void startsWhatItHolds() {
        stage.loadInto(0, 40, i -> null);
        CountDownLatch go = new CountDownLatch(1);
        try (Laneway member = share.member().concurrency(3).process(record -> {
            share.note(record);
            go.await();
        })) {
            await().atMost(LIMIT).until(() -> share.handled.size() == 3);
            assertThat(member.snapshot().held()).isEqualTo(3);
            go.countDown();
            await().atMost(LIMIT).until(() -> share.handled.size() == 40 && share.isAllAcknowledged());
        }
    }

    @Test
    @DisplayName("B100 attempts are calls of the handler: earlier deliveries leave a policy of three its three calls")
    void attempts() {
        share.loadDelivered(9, 2);
        String dlq = stage.topic + ".dlq";
        stage.kafka.createTopic(dlq, 1);
        Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
        try (Laneway member = share.member()
                .onFailure(FailurePolicy.retry(Backoff.fixed(millis(5)), 3).thenDeadLetter(dlq))
                .process((record, context) -> {
                    share.note(record);
                    if (record.value().equals("4")) {
                        attempts.add(context.attempt());
                    }
                    assertThat(record.deliveryCount()).hasValue((short) 3);
                    throw new IllegalStateException("poison");
                })) {
            await().atMost(LIMIT).until(share::isAllAcknowledged);
            assertThat(member.snapshot().counters().deadLettered()).isEqualTo(9);
        }
        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(share.handled.values()).allMatch(times -> times.get() == 3);
    }

    @Test
    @DisplayName("B100 a pause of several lock durations keeps what is held, and resume runs it at its first delivery")
    void longPause() {
        share.group("share.record.lock.duration.ms", "3000");
        stage.loadInto(0, 20, i -> null);
        CountDownLatch go = new CountDownLatch(1);
        Queue<Integer> deliveries = new ConcurrentLinkedQueue<>();
        try (Laneway member = share.member(Map.of("max.poll.records", 20))
                .concurrency(2)
                .process(record -> {
                    share.note(record);
                    go.await();
                    deliveries.add((int) record.deliveryCount().orElseThrow());
                })) {
            await().atMost(LIMIT).until(() -> share.handled.size() == 2);
            member.pause();
            await().atMost(LIMIT)
                    .until(() ->
                            member.health().reasons().stream().anyMatch(one -> one.startsWith("paused by the user")));
            assertThat(member.snapshot().held()).isEqualTo(20);
            go.countDown();
            await().atMost(LIMIT).until(() -> deliveries.size() == 2);
            // Each renewal, three in a lock, is confirmed.
            long confirmed = member.snapshot().counters().commits();
            await().atMost(LIMIT).until(() -> member.snapshot().counters().commits() >= confirmed + 10);
            assertThat(share.handled).hasSize(2);
            assertThat(member.snapshot().held()).isEqualTo(18);
            assertThat(member.health().reasons()).anyMatch(one -> one.startsWith("paused by the user"));
            member.resume();
            await().atMost(LIMIT).until(() -> share.handled.size() == 20 && share.isAllAcknowledged());
            assertThat(member.snapshot().counters().failedCommits()).isZero();
        }
        assertThat(deliveries).hasSize(20).containsOnly(1);
    }

    @Test
    @DisplayName("B100 close waits for handlers and for what has not started, and gives back what outlasts its limit")
    void closeGivesBackWhatOutlastsIt() {
        stage.loadInto(0, 6, i -> null);
        CountDownLatch never = new CountDownLatch(1);
        Set<String> interrupted = ConcurrentHashMap.newKeySet();
        try (Laneway closing = share.member(Map.of("max.poll.records", 6))
                .concurrency(2)
                .process(record -> {
                    share.note(record);
                    if (record.value().equals("1")) {
                        try {
                            never.await();
                        } catch (InterruptedException given) {
                            interrupted.add(record.value());
                            throw given;
                        }
                    }
                })) {
            await().atMost(LIMIT).until(() -> share.times("1") == 1);
            closing.close(Duration.ofSeconds(2));
            assertThat(closing.state()).isEqualTo(State.CLOSED);
        }
        assertThat(share.handled.keySet()).isEqualTo(values(0, 6));
        assertThat(interrupted).containsExactly("1");
        Map<String, Integer> again = new ConcurrentHashMap<>();
        try (Laneway next = share.member()
                .process(record ->
                        again.put(record.value(), (int) record.deliveryCount().orElseThrow()))) {
            await().atMost(LIMIT).until(share::isAllAcknowledged);
            assertThat(again).containsOnlyKeys("1");
            assertThat(again.get("1")).isGreaterThanOrEqualTo(2);
            assertThat(next.failure()).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "B100 what is delivered for the last time runs although the member stops, and counts if it is not done")
    void lastDelivery() {
        // The broker hands such records out one at a time, of a partition; a mock gives several at once.
        MockShareConsumer<byte[], byte[]> client = new MockShareConsumer<>();
        client.subscribe(List.of(stage.topic));
        for (int i = 0; i < 8; i++) {
            client.addRecord(record(i, i < 4 ? 1 : 5));
        }
        Map<String, Object> config = share.config(Map.of("share.acknowledgement.mode", "explicit"));
        CompletableFuture<Laneway> started = new CompletableFuture<>();
        try (Laneway stopping = stage.strings(Laneway.shareConsumer(config, () -> client))
                .concurrency(1)
                .process((record, context) -> {
                    share.note(record);
                    if (record.offset() % 4 != 0) {
                        await().atMost(LIMIT)
                                .until(() -> started.join().failure().isPresent());
                    }
                    return record.offset() % 4 == 0 ? Outcome.stop("full") : Outcome.done();
                })) {
            started.complete(stopping);
            await().atMost(LIMIT).until(() -> stopping.state() == State.FAILED);
            assertThat(share.handled).containsKeys("4", "5", "6", "7").doesNotContainKeys("1", "2", "3");
            assertThat(stopping.snapshot().counters().processed()).isEqualTo(3);
            assertThat(stopping.snapshot().counters().archived()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("B59 a record that comes along with the answer to a renewal does not start while the member is paused")
    void freshInAPause() {
        AtomicInteger polls = new AtomicInteger();
        AtomicBoolean another = new AtomicBoolean();
        MockShareConsumer<byte[], byte[]> client = new MockShareConsumer<>() {
            @Override // Long enough that no lock runs out on a busy machine; the first renewal is after a third of it.
            public Optional<Integer> acquisitionLockTimeoutMs() {
                return Optional.of(6_000);
            }

            @Override // Never answers a renewal.
            public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                if (polls.getAndIncrement() == 0) {
                    addRecord(record(0, 1));
                } else if (another.getAndSet(false)) {
                    addRecord(record(1, 1));
                }
                return super.poll(timeout);
            }
        };
        Map<String, Object> config = share.config(Map.of("share.acknowledgement.mode", "explicit"));
        CountDownLatch go = new CountDownLatch(1);
        try (Laneway member = stage.strings(Laneway.shareConsumer(config, () -> client))
                .concurrency(4)
                .process(record -> {
                    share.note(record);
                    if (record.offset() == 0) {
                        go.await();
                    }
                })) {
            await().atMost(LIMIT).until(() -> share.times("0") == 1);
            member.pause();
            another.set(true);
            await().atMost(LIMIT).until(() -> member.snapshot().held() == 2);
            int before = polls.get();
            await().atMost(LIMIT).until(() -> polls.get() > before + 2);
            assertThat(share.handled).containsOnlyKeys("0");
            member.resume();
            await().atMost(LIMIT).until(() -> share.times("1") == 1);
            go.countDown();
        }
    }

    private ConsumerRecord<byte[], byte[]> record(int offset, int deliveries) {
        return new ConsumerRecord<>(
                stage.topic,
                0,
                offset,
                0,
                TimestampType.CREATE_TIME,
                0,
                1,
                null,
                Stage.bytes(Integer.toString(offset)),
                new RecordHeaders(),
                Optional.empty(),
                Optional.of((short) deliveries));
    }

    @Test
    @DisplayName("B100 B114 a record at its last delivery whose lock is lost is counted, and health says what to do")
    void archived() throws IOException {
        share.group("share.record.lock.duration.ms", "1000");
        share.group("share.renew.acknowledge.enable", "false"); // So no renewal succeeds.
        share.loadDelivered(1, 4);
        CountDownLatch never = new CountDownLatch(1);
        try (Laneway member = share.member().process(record -> never.await())) {
            expect(
                    "a share record that the broker gives up",
                    member::health,
                    Health.Status.DEGRADED,
                    "gives up 1 records of " + stage.partition(0));
            assertThat(member.snapshot().counters().archived()).isEqualTo(1);
            await().atMost(LIMIT).until(share::isAllAcknowledged);
        }
    }
}
