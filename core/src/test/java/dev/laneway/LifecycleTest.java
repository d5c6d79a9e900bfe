package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(120)
@DisplayName("Life cycle on a real broker")
class LifecycleTest {

    private static int members(Stage stage) throws ExecutionException, InterruptedException {
        return stage.kafka
                .admin()
                .describeConsumerGroups(List.of(stage.group))
                .all()
                .get()
                .get(stage.group)
                .members()
                .size();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B53 close: no new record starts, what is in flight ends, all of it is committed, the member leaves")
    void close(String protocol) throws Exception {
        Stage stage = Stage.of(2);
        stage.load(10_000, i -> "key-" + i);
        Set<Long> started = ConcurrentHashMap.newKeySet();
        AtomicInteger lastStart = new AtomicInteger();
        Journal journal = new Journal();
        Laneway laneway = stage.consumer(Map.of("group.protocol", protocol))
                .concurrency(20)
                .commit(CommitMode.async(Duration.ofHours(1)))
                .process(journal.note(record -> {
                    started.add(record.partition() * 1_000_000L + record.offset());
                    lastStart.incrementAndGet();
                    work(millis(20));
                }));
        await().atMost(LIMIT).until(() -> journal.size() > 200);
        laneway.close();

        assertThat(laneway.state()).isEqualTo(State.CLOSED);
        assertThat(journal.size()).isEqualTo(lastStart.get()).isEqualTo(started.size());
        assertThat(journal.size()).isLessThan(9_000);
        assertThat(members(stage)).isZero();
        laneway.close();
        laneway.close(Duration.ZERO);
        assertThat(laneway.awaitTermination(Duration.ZERO)).isTrue();

        Journal rest = new Journal();
        try (Laneway _ = stage.consumer().process(rest.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> rest.size() + journal.size() >= 10_000);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(rest.size() + journal.size()).isEqualTo(10_000);
    }

    @Test
    @DisplayName("B53 what is in flight at the close limit is interrupted, and not committed")
    void closeLimit() {
        Stage stage = Stage.of(1);
        stage.load(10, i -> "key-" + i);
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger interrupted = new AtomicInteger();
        Laneway laneway = stage.consumer().closeLimit(millis(300)).process(record -> {
            if (record.offset() >= 4) {
                try {
                    never.await();
                } catch (InterruptedException end) {
                    interrupted.incrementAndGet();
                    throw end;
                }
            }
        });
        await().atMost(LIMIT).until(() -> laneway.snapshot().runningWorkers() == 6);
        long since = System.nanoTime();
        laneway.close();
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isBetween(millis(290), Duration.ofSeconds(10));
        await().atMost(LIMIT).until(() -> interrupted.get() == 6);
        assertThat(laneway.failure()).isEmpty();
        assertThat(laneway.snapshot().counters().dropped()).isEqualTo(6);
        assertThat(stage.committed(0)).isEqualTo(4);
    }

    @Test
    @DisplayName("B53 close from a handler, and from many threads at once")
    void closeFromEverywhere() throws Exception {
        Stage stage = Stage.of(1);
        stage.load(100, i -> "key-" + i);
        AtomicReference<Laneway> self = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        Journal journal = new Journal();
        Laneway laneway = stage.consumer().concurrency(4).process(journal.note(record -> {
            known.await();
            if (record.offset() == 10) {
                self.get().close();
            }
        }));
        self.set(laneway);
        known.countDown();
        List<Thread> closers = java.util.stream.IntStream.range(0, 8)
                .mapToObj(i -> Thread.ofVirtual().start(laneway::close))
                .toList();
        assertThat(laneway.awaitTermination(LIMIT)).isTrue();
        for (Thread closer : closers) {
            assertThat(closer.join(LIMIT)).isTrue();
        }
        assertThat(laneway.state()).isEqualTo(State.CLOSED);
    }

    @Test
    @DisplayName("B53 close from a handler alone ends the consumer, with that handler's record done")
    void closeFromHandler() throws Exception {
        Stage stage = Stage.of(1);
        stage.load(1, i -> "key");
        AtomicReference<Laneway> self = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        Laneway laneway = stage.consumer().process(record -> {
            known.await();
            self.get().close();
        });
        self.set(laneway);
        known.countDown();
        assertThat(laneway.awaitTermination(LIMIT)).isTrue();
        assertThat(stage.committed(0)).isEqualTo(1);
    }

    @Test
    @DisplayName("B53 close from a rebalance listener")
    void closeFromListener() throws Exception {
        Stage stage = Stage.of(1);
        AtomicReference<Laneway> self = new AtomicReference<>();
        CountDownLatch known = new CountDownLatch(1);
        Laneway laneway = stage.consumer()
                .onRebalance(new RebalanceListener() {
                    @Override
                    public void onAssigned(Collection<TopicPartition> partitions) {
                        try {
                            known.await();
                        } catch (InterruptedException unexpected) {
                            throw new IllegalStateException(unexpected);
                        }
                        self.get().close();
                    }
                })
                .process(record -> {});
        self.set(laneway);
        known.countDown();
        assertThat(laneway.awaitTermination(LIMIT)).isTrue();
        assertThat(laneway.failure()).isEmpty();
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B54 drain: all that is held is processed, the member stays meanwhile, and nothing spins")
    void drain(String protocol) throws Exception {
        Stage stage = Stage.of(1);
        stage.load(4_000, i -> "key-" + i % 50);
        Journal journal = new Journal();
        String name = "drained-" + protocol;
        Laneway laneway = stage.consumer(
                        Map.of("group.protocol", protocol, "max.poll.interval.ms", 2_000, "max.poll.records", 100))
                .name(name)
                .bufferRecords(1_000)
                .concurrency(1)
                .process(journal.watch(Journal.byKey(), record -> work(millis(6))));
        await().atMost(LIMIT).until(() -> laneway.snapshot().held() > 600);
        long held = laneway.snapshot().held();
        var threads = ManagementFactory.getThreadMXBean();
        long owner = java.util.Arrays.stream(threads.dumpAllThreads(false, false))
                .filter(thread -> thread.getThreadName().equals(name + "-owner"))
                .findFirst()
                .orElseThrow()
                .getThreadId();
        AtomicReference<Boolean> answer = new AtomicReference<>();
        Thread drainer = Thread.ofPlatform().start(() -> answer.set(laneway.drain(LIMIT)));
        await().atMost(LIMIT).until(() -> laneway.state() == State.DRAINING);
        long cpuBefore = threads.getThreadCpuTime(owner);
        long since = System.nanoTime();
        // Longer than max.poll.interval.ms, and it is still a member.
        await().atMost(LIMIT).until(() -> System.nanoTime() - since > 2_500_000_000L);
        assertThat(members(stage)).isEqualTo(1);
        long cpu = threads.getThreadCpuTime(owner) - cpuBefore;
        drainer.join();

        assertThat(answer.get()).isTrue();
        assertThat(laneway.state()).isEqualTo(State.CLOSED);
        assertThat(journal.size()).isGreaterThanOrEqualTo((int) held - 10).isLessThan(4_000);
        assertThat(stage.committed(0)).isEqualTo(journal.size());
        assertThat(Duration.ofNanos(cpu)).isLessThan(millis(400));
        assertThat(journal.violations()).isEmpty();
    }

    @Test
    @DisplayName("B54 a drain that does not end within its limit says so, and commits what is done")
    void drainLimit() {
        Stage stage = Stage.of(1);
        stage.load(10, i -> "key-" + i);
        CountDownLatch never = new CountDownLatch(1);
        Laneway laneway = stage.consumer().process(record -> {
            if (record.offset() == 6) {
                never.await();
            }
        });
        await().atMost(LIMIT).until(() -> laneway.snapshot().counters().processed() == 9);
        assertThat(laneway.drain(millis(200))).isFalse();
        assertThat(laneway.state()).isEqualTo(State.CLOSED);
        assertThat(stage.committed(0)).isEqualTo(6);
        assertThat(laneway.drain(LIMIT)).isFalse();
    }

    @Test
    @DisplayName("B55 a description starts one consumer: the second start is refused, also after close")
    void secondStart() {
        Stage stage = Stage.of(1);
        LanewayBuilder<String, String> builder = stage.consumer();
        Laneway laneway = builder.process(record -> {});
        assertThatThrownBy(() -> builder.process(record -> {}))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("starts one consumer");
        laneway.close();
        assertThatThrownBy(() -> builder.process(record -> {})).isInstanceOf(ConfigurationException.class);
        assertThat(laneway.state()).isEqualTo(State.CLOSED);
    }

    @Test
    @DisplayName("B55 close right after the start, before anything was assigned")
    void closeAtOnce() {
        Stage stage = Stage.of(1);
        for (int i = 0; i < 5; i++) {
            Laneway laneway = stage.consumer().process(record -> {});
            laneway.close();
            assertThat(laneway.state()).isEqualTo(State.CLOSED);
            assertThat(laneway.failure()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("B53 B55 without a broker a close ends at once, also of a consumer that opens its transactions")
    void closeWithoutBroker(boolean exactlyOnce) {
        Stage stage = Stage.of(1);
        LanewayBuilder<String, String> lost = stage.consumer(Map.of("bootstrap.servers", "127.0.0.1:1"))
                .healthLimit(millis(500))
                .closeLimit(LIMIT);
        Laneway laneway = (exactlyOnce ? lost.exactlyOnce(stage.topic) : lost).process(record -> {});
        await().atMost(LIMIT).until(() -> laneway.health().status() != Health.Status.UP);
        long sinceNanos = System.nanoTime();
        laneway.close();
        assertThat(Duration.ofNanos(System.nanoTime() - sinceNanos)).isLessThan(Duration.ofSeconds(10));
        assertThat(laneway.snapshot().state()).isEqualTo(State.CLOSED);
    }

    @Test
    @DisplayName("B57 a record unfinished for longer than the stall limit: DOWN, with where, key hash and stack")
    void stall() {
        Stage stage = Stage.of(1);
        stage.load(50, i -> "key-" + i);
        CountDownLatch release = new CountDownLatch(1);
        try (Laneway laneway = stage.consumer().stallLimit(millis(300)).process(record -> {
            if (record.offset() == 23) {
                stuckHere(release);
            }
        })) {
            await().atMost(LIMIT).until(() -> laneway.snapshot().counters().processed() == 49);
            await().atMost(LIMIT).until(() -> laneway.health().status() == Health.Status.DOWN);
            assertThat(laneway.health().reasons())
                    .singleElement()
                    .asString()
                    .contains(stage.topic + "-0@23", "key hash", "stuckHere", "stallLimit");
            PartitionSnapshot partition = laneway.snapshot().partitions().getFirst();
            assertThat(partition.oldestOffset()).hasValue(23);
            assertThat(partition.oldestAge().orElseThrow()).isGreaterThan(millis(300));
            release.countDown();
            await().atMost(LIMIT).until(() -> laneway.health().status() == Health.Status.UP);
        }
    }

    private static void stuckHere(CountDownLatch release) throws InterruptedException {
        release.await();
    }

    @Test
    @DisplayName("B58 two consumers share a JVM; when they are closed no thread and no metric of theirs is left")
    void nothingIsLeft() {
        Stage stage = Stage.of(4);
        stage.load(1_000, i -> "key-" + i);
        Set<String> before = leftovers();
        for (String protocol : List.of("classic", "consumer")) {
            Journal journal = new Journal();
            Stage own = protocol.equals("classic") ? stage : Stage.of(4);
            own.load(1_000, i -> "key-" + i);
            int records = protocol.equals("classic") ? 2_000 : 1_000;
            Map<String, Object> config = Map.of("group.protocol", protocol, "client.id", "left-" + protocol);
            try (Laneway first = own.consumer(config)
                            .name("left-over")
                            .consumers(2)
                            .onFailure(FailurePolicy.deadLetter("never-used"))
                            .process(journal.note(record -> {}));
                    Laneway second = own.consumer(config).name("left-over").process(journal.note(record -> {}))) {
                await().atMost(LIMIT).until(() -> journal.size() == records);
                assertThat(first.state()).isEqualTo(State.RUNNING);
                assertThat(second.state()).isEqualTo(State.RUNNING);
                assertThat(leftovers()).isNotEqualTo(before);
            }
            assertThat(journal.repeated()).isEmpty();
        }
        await().atMost(LIMIT).until(() -> leftovers().equals(before));
    }

    /** Threads and beans that a consumer of these tests, or a Kafka client, has made. */
    private static Set<String> leftovers() {
        Set<String> left = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.contains("left-"))
                .collect(Collectors.toSet());
        ManagementFactory.getPlatformMBeanServer().queryNames(null, null).stream()
                .map(Object::toString)
                .filter(name -> name.contains("left-"))
                .forEach(left::add);
        return left;
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @ValueSource(strings = {"classic", "consumer"})
    @DisplayName("B59 a pause stops the start of records and keeps the membership; resume goes on at the same record")
    void pause(String protocol) throws Exception {
        Stage stage = Stage.of(1);
        stage.load(2_000, i -> "key-" + i);
        Journal journal = new Journal();
        try (Laneway laneway = stage.consumer(Map.of("group.protocol", protocol, "max.poll.interval.ms", 1_500))
                .concurrency(1)
                .process(journal.watch(Journal.byPartition(), record -> work(millis(1))))) {
            await().atMost(LIMIT).until(() -> journal.size() > 100);
            // A group that has only just heard of the topic may assign nothing at first.
            long before = laneway.snapshot().counters().rebalances();
            laneway.pause();
            await().atMost(LIMIT).until(() -> laneway.health().status() == Health.Status.DEGRADED);
            await().atMost(LIMIT).until(() -> laneway.snapshot().runningWorkers() == 0);
            int stopped = journal.size();
            long since = System.nanoTime();
            await().atMost(LIMIT).until(() -> System.nanoTime() - since > 2_000_000_000L);
            assertThat(journal.size()).isEqualTo(stopped);
            assertThat(members(stage)).isEqualTo(1);
            laneway.resume();
            await().atMost(LIMIT).until(() -> journal.size() == 2_000);
            assertThat(laneway.health().status()).isEqualTo(Health.Status.UP);
            assertThat(laneway.snapshot().counters().rebalances()).isEqualTo(before);
        }
        assertThat(journal.violations()).isEmpty();
        assertThat(journal.repeated()).isEmpty();
    }
}
