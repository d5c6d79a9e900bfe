package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("Rebalances on a real broker")
class RebalanceTest {

    private static boolean owns(Laneway laneway, int partitions) {
        return laneway.assignment().size() == partitions;
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B32 what finished is committed before its partition is given up, however long the commit interval")
    void committedBeforeRevoked(Protocol protocol) {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 500, i -> "key-" + i);
        stage.loadInto(1, 500, i -> "key-" + i);
        Journal journal = new Journal();
        Queue<Long> committedAtRevoke = new ConcurrentLinkedQueue<>();
        try (Laneway first = stage.consumer(protocol.config())
                .commit(CommitMode.async(Duration.ofHours(1)))
                .onRebalance(new RebalanceListener() {
                    @Override
                    public void onRevoked(Collection<TopicPartition> partitions) {
                        partitions.forEach(id -> committedAtRevoke.add(stage.committed(id.partition())));
                    }
                })
                .process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> journal.size() == 1_000);
            assertThat(stage.committed(0)).isEqualTo(-1);
            try (Laneway second = stage.consumer(protocol.config()).process(journal.note(record -> {}))) {
                await().atMost(LIMIT).until(() -> owns(first, 1) && owns(second, 1));
                assertThat(committedAtRevoke).isNotEmpty().containsOnly(500L);
            }
        }
        assertThat(journal.repeated()).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B33 a revoke waits for work in flight up to the drain limit and not longer")
    void drainLimit(Protocol protocol) {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 10, i -> "key-" + i);
        stage.loadInto(1, 10, i -> "key-" + i);
        CountDownLatch never = new CountDownLatch(1);
        Queue<Duration> waited = new ConcurrentLinkedQueue<>();
        Journal journal = new Journal();
        try (Laneway first = stage.consumer(protocol.config())
                .drainLimit(millis(1_500))
                .closeLimit(Duration.ZERO)
                .process(journal.note(record -> {
                    if (record.offset() == 7) {
                        never.await();
                    }
                }))) {
            await().atMost(LIMIT).until(() -> journal.size() == 18);
            long since = System.nanoTime();
            Set<Long> again = ConcurrentHashMap.newKeySet();
            try (Laneway second = stage.consumer(protocol.config()).process(record -> {
                waited.add(Duration.ofNanos(System.nanoTime() - since));
                again.add(record.offset());
            })) {
                await().atMost(LIMIT).until(() -> owns(first, 1) && owns(second, 1));
                await().atMost(LIMIT).until(() -> !again.isEmpty());
                assertThat(again).containsExactly(7L);
                assertThat(first.snapshot().counters().dropped()).isBetween(1L, 2L);
            }
        }
        // The lower bound is what B34 shows; here the start of the second member is in it too.
        assertThat(waited.peek()).isBetween(millis(1_400), millis(12_000));
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B19 B34 B38 members come and go under load: no record twice, no key out of order, no two owners")
    void churn(Protocol protocol) {
        int records = 8_000;
        Stage stage = Stage.of(6);
        Journal journal = new Journal();
        RecordHandler<String, String> handler = journal.watch(Journal.byKey(), record -> {
            if (record.offset() % 4 == 0) {
                work(millis(5));
            }
        });
        List<Laneway> members = new ArrayList<>();
        try {
            members.add(member(stage, protocol, handler));
            for (int step = 0; step < 8; step++) {
                stage.load(step * 1_000, 1_000, i -> "key-" + i % 97);
                switch (step) {
                    case 1, 2, 5 -> members.add(member(stage, protocol, handler));
                    case 3, 6 -> members.removeFirst().close();
                    case 4 -> {
                        members.add(member(stage, protocol, handler));
                        members.add(member(stage, protocol, handler));
                    }
                    default -> {}
                }
                int target = (step + 1) * 400;
                await().atMost(LIMIT).until(() -> journal.size() >= target);
            }
            await().atMost(LIMIT).until(() -> journal.size() >= records);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        } finally {
            members.forEach(Laneway::close);
        }
        assertThat(journal.repeated()).isEmpty();
        assertThat(journal.violations()).isEmpty();
        assertThat(journal.size()).isEqualTo(records);
    }

    private static Laneway member(Stage stage, Protocol protocol, RecordHandler<String, String> handler) {
        return stage.consumer(protocol.config()).concurrency(50).process(handler);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B35 partitions that are lost: nothing committed, work interrupted, late results dropped and counted")
    void lost(Protocol protocol) {
        Stage stage = Stage.of(1);
        stage.load(20, i -> "key-" + i);
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch ignores = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();
        AtomicBoolean hang = new AtomicBoolean();
        AtomicInteger lost = new AtomicInteger();
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Map<String, Object> config = stage.config(protocol.config(
                Map.of("enable.auto.commit", "false", "max.poll.interval.ms", 800, "session.timeout.ms", 6_000)));
        if (protocol == Protocol.CONSUMER) {
            config.remove("session.timeout.ms");
        }
        // An owner that does not come to poll for longer than max.poll.interval.ms, as in a long pause of the machine.
        Around around = (method, arguments, real) -> {
            if (method.equals("poll") && hang.get()) {
                hangs.countDown();
                over.await();
                hang.set(false);
            }
            return real.call();
        };
        try (Laneway first = stage.strings(Laneway.consumer(config, () -> around.consumer(config)))
                .drainLimit(millis(100))
                .commit(CommitMode.async(Duration.ofHours(1)))
                .onRebalance(new RebalanceListener() {
                    @Override
                    public void onLost(Collection<TopicPartition> partitions) {
                        lost.addAndGet(partitions.size());
                    }
                })
                .process(record -> {
                    if (record.offset() == 3) {
                        try {
                            never.await();
                        } catch (InterruptedException end) {
                            interrupted.incrementAndGet();
                            throw end;
                        }
                    }
                    if (record.offset() == 5) {
                        awaitUninterruptibly(ignores);
                    }
                })) {
            await().atMost(LIMIT).until(() -> first.snapshot().counters().processed() == 18);
            hang.set(true);
            await().atMost(LIMIT).until(() -> hangs.getCount() == 0);
            Journal second = new Journal();
            try (Laneway other = stage.consumer(protocol.config()).process(second.note(record -> {}))) {
                // The second member finds nothing committed: it runs all of them.
                await().atMost(LIMIT).until(() -> second.size() == 20);
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
                over.countDown();
                await().atMost(LIMIT).until(() -> lost.get() == 1 && interrupted.get() == 1);
                ignores.countDown();
                await().atMost(LIMIT).until(() -> first.snapshot().counters().late() == 2);
                assertThat(first.snapshot().counters().commits()).isZero();
                assertThat(first.snapshot().counters().dropped()).isEqualTo(2);
                assertThat(stage.isCommittedToEnd()).isTrue();
                assertThat(first.state()).isEqualTo(State.RUNNING);
                assertThat(other.state()).isEqualTo(State.RUNNING);
            } finally {
                over.countDown();
                ignores.countDown();
            }
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ignored) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "EAGER")
    @DisplayName("B37 partitions that stay keep their records and their epoch; nothing of them is read again")
    void retained(Protocol protocol) {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 300, i -> "key-" + i);
        stage.loadInto(1, 300, i -> "key-" + i);
        CountDownLatch release = new CountDownLatch(1);
        Journal journal = new Journal();
        try (Laneway first = stage.consumer(protocol.config())
                .concurrency(4)
                .drainLimit(millis(200))
                .process(journal.note(record -> release.await()))) {
            await().atMost(LIMIT).until(() -> first.snapshot().held() == 600);
            List<PartitionSnapshot> before = first.snapshot().partitions();
            try (Laneway second = stage.consumer(protocol.config()).process(journal.note(record -> {}))) {
                await().atMost(LIMIT).until(() -> owns(first, 1) && owns(second, 1));
                PartitionSnapshot kept = first.snapshot().partitions().getFirst();
                PartitionSnapshot same = before.get(kept.partition().partition());
                assertThat(kept.epoch()).isEqualTo(same.epoch());
                assertThat(kept.held()).isEqualTo(300);
                assertThat(kept.position()).isEqualTo(300);
                release.countDown();
                await().atMost(LIMIT).until(stage::isCommittedToEnd);
            }
        }
        assertThat(journal.repeated()).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B12 B39 a drain does not wait for a partition that delivered nothing; its offset stays as it is")
    void quietPartitions(Protocol protocol) {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 10, i -> "key-" + i);
        stage.loadInto(1, 10, i -> "key-" + i);
        stage.commit(0, 10, "");
        stage.commit(1, 4, "");
        // From here on partition 0 is quiet.
        Journal journal = new Journal();
        try (Laneway first = stage.consumer(protocol.config())
                .drainLimit(Duration.ofSeconds(60))
                .process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> journal.size() == 6);
            for (int round = 0; round < 3; round++) {
                long since = System.nanoTime();
                try (Laneway second = stage.consumer(protocol.config())
                        .drainLimit(Duration.ofSeconds(60))
                        .process(journal.note(record -> {}))) {
                    await().atMost(LIMIT).until(() -> owns(first, 1) && owns(second, 1));
                }
                await().atMost(LIMIT).until(() -> owns(first, 2));
                assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(30));
            }
        }
        assertThat(journal.offsets(0)).isEmpty();
        assertThat(journal.repeated()).isEmpty();
        assertThat(stage.committed(0)).isEqualTo(10);
        assertThat(stage.committed(1)).isEqualTo(10);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B39 a member that has failed does not hold its partitions: the other has them soon")
    void failedMember(Protocol protocol) {
        Stage stage = Stage.of(2);
        stage.loadInto(0, 10, i -> "key-" + i);
        stage.loadInto(1, 10, i -> "key-" + i);
        Laneway first = stage.consumer(protocol.config())
                .drainLimit(Duration.ofSeconds(60))
                .process((ConsumerRecord<String, String> record, RecordContext context) ->
                        record.offset() == 5 ? Outcome.stop("told to") : Outcome.done());
        await().atMost(LIMIT).until(() -> first.state() == State.FAILED);
        try (Laneway second = stage.consumer(protocol.config()).process(record -> {})) {
            await().atMost(Duration.ofSeconds(20)).until(() -> owns(second, 2));
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B40 the listener is told of every change; what it throws stops the consumer with the reason")
    void listener(Protocol protocol) {
        Stage stage = Stage.of(2);
        Queue<String> told = new ConcurrentLinkedQueue<>();
        RebalanceListener listener = new RebalanceListener() {
            @Override
            public void onAssigned(Collection<TopicPartition> partitions) {
                told.add("assigned " + partitions.size());
            }

            @Override
            public void onRevoked(Collection<TopicPartition> partitions) {
                told.add("revoked " + partitions.size());
            }
        };
        try (Laneway first =
                stage.consumer(protocol.config()).onRebalance(listener).process(record -> {})) {
            await().atMost(LIMIT).until(() -> told.contains("assigned 2"));
            assertThat(owns(first, 2)).isTrue();
            Laneway second = stage.consumer(protocol.config())
                    .onRebalance(new RebalanceListener() {
                        @Override
                        public void onAssigned(Collection<TopicPartition> partitions) {
                            if (!partitions.isEmpty()) {
                                throw new IllegalStateException("the listener does not want them");
                            }
                        }
                    })
                    .process(record -> {});
            assertThatThrownBy(() -> second.awaitTermination(LIMIT))
                    .isInstanceOf(LanewayException.class)
                    .rootCause()
                    .hasMessage("the listener does not want them");
            assertThat(second.state()).isEqualTo(State.FAILED);
            assertThat(told).anyMatch(what -> what.startsWith("revoked"));
            await().atMost(LIMIT).until(() -> owns(first, 2));
        }
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B41 a static member that restarts within the session timeout causes no rebalance")
    void staticMembership(Protocol protocol) {
        Stage stage = Stage.of(2);
        Journal journal = new Journal();
        LanewayBuilder<String, String> one = stage.consumer(protocol.config(Map.of("group.instance.id", "one")));
        try (Laneway other = stage.consumer(protocol.config(Map.of("group.instance.id", "two")))
                .process(journal.note(record -> {}))) {
            Laneway first = one.process(journal.note(record -> {}));
            await().atMost(LIMIT).until(() -> owns(first, 1) && owns(other, 1));
            Set<TopicPartition> own = first.assignment();
            long rebalances = other.snapshot().counters().rebalances();
            first.close();
            stage.loadInto(0, 50, i -> "key-" + i);
            stage.loadInto(1, 50, i -> "key-" + i);
            try (Laneway again = stage.consumer(protocol.config(Map.of("group.instance.id", "one")))
                    .process(journal.note(record -> {}))) {
                await().atMost(LIMIT).until(() -> journal.size() == 100);
                assertThat(again.assignment()).isEqualTo(own);
                assertThat(other.snapshot().counters().rebalances()).isEqualTo(rebalances);
            }
        }
        assertThat(journal.repeated()).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B26 what the user has paused stays paused through rebalances")
    void pausedThroughRebalances(Protocol protocol) {
        Stage stage = Stage.of(2);
        Journal journal = new Journal();
        try (Laneway first = stage.consumer(protocol.config()).process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> owns(first, 2));
            first.pause(List.of(stage.partition(0)));
            Laneway second = stage.consumer(protocol.config()).process(record -> {});
            await().atMost(LIMIT).until(() -> owns(first, 1) && owns(second, 1));
            second.close();
            await().atMost(LIMIT).until(() -> owns(first, 2));
            stage.loadInto(0, 20, i -> "key-" + i);
            stage.loadInto(1, 20, i -> "key-" + i);
            await().atMost(LIMIT).until(() -> stage.committed(1) == 20);
            assertThat(first.snapshot().partitions().getFirst().pausedByUser()).isTrue();
            assertThat(first.snapshot().partitions().getFirst().pauseReason()).contains(PauseReason.USER);
            assertThat(journal.offsets(0)).isEmpty();
            first.resume(List.of(stage.partition(0)));
            await().atMost(LIMIT).until(() -> journal.size() == 40);
        }
    }

    @Test
    @DisplayName("B34 several members in one process share the partitions and the concurrency")
    void severalMembers() {
        Stage stage = Stage.of(6);
        stage.load(3_000, i -> "key-" + i);
        Journal journal = new Journal();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Set<String> members = ConcurrentHashMap.newKeySet();
        try (Laneway laneway = stage.consumer()
                .name("many")
                .consumers(3)
                .concurrency(30)
                .process((ConsumerRecord<String, String> record, RecordContext context) -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    work(millis(2));
                    running.decrementAndGet();
                    members.add(context.member());
                    journal.add(record);
                    return Outcome.done();
                })) {
            await().atMost(LIMIT).until(() -> owns(laneway, 6));
            // The first member may have done all before the others have joined.
            for (int loaded = 3_000; loaded < 30_000 && members.size() < 3; loaded += 300) {
                int all = loaded;
                await().atMost(LIMIT).until(() -> journal.size() >= all);
                stage.load(loaded, 300, i -> "key-" + i);
            }
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.snapshot().partitions()).hasSize(6);
        }
        assertThat(members).containsExactlyInAnyOrder("many-0", "many-1", "many-2");
        assertThat(most.get()).isLessThanOrEqualTo(30);
        assertThat(journal.repeated()).isEmpty();
    }
}
