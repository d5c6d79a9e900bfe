package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static dev.laneway.Stage.work;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.testkit.EmbeddedKafka;
import dev.laneway.testkit.Network;
import dev.laneway.testkit.TcpProxy;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
@DisplayName("A broker that cannot be reached, or cannot write")
class TroubledPathTest {
    private static final int RECORDS = 600;
    private static final int BUDGET = 100;
    private static final int POLL = 20;
    private static final int POLL_BYTES = 20_000;
    private static final long BUDGET_BYTES = 80_000;

    /** How the broker treats writers. */
    enum Trouble {
        SLOW,
        SILENT
    }

    private EmbeddedKafka kafka;
    private Network network;

    @BeforeAll
    void startBroker() {
        kafka = EmbeddedKafka.builder()
                .network("east")
                .property("group.consumer.session.timeout.ms", "1000")
                .property("group.consumer.heartbeat.interval.ms", "200")
                .start();
        network = kafka.network("east");
    }

    @AfterAll
    void closeBroker() {
        kafka.close();
    }

    @Execution(ExecutionMode.SAME_THREAD) // They share the network.
    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B88 B35 cut off for longer than the session, then healed: lost and dropped, the other member goes on,"
            + " both share again, nothing is lost")
    void cutOff(Protocol protocol) {
        Stage stage = Stage.on(kafka, 4);
        Map<String, Object> config = new HashMap<>(protocol.config());
        if (protocol != Protocol.CONSUMER) {
            config.put("session.timeout.ms", 1_000);
        }
        Map<String, Object> cut = new HashMap<>(config);
        cut.put("bootstrap.servers", network.bootstrapServers());
        AtomicInteger lost = new AtomicInteger();
        Journal first = new Journal();
        Journal second = new Journal();
        try (Laneway away = member(stage, cut)
                        .onRebalance(new RebalanceListener() {
                            @Override
                            public void onLost(Collection<TopicPartition> partitions) {
                                lost.addAndGet(partitions.size());
                            }
                        })
                        .process(first.watch(Journal.byKey(), record -> work(millis(1))));
                Laneway near =
                        member(stage, config).process(second.watch(Journal.byKey(), record -> work(millis(1))))) {
            await().atMost(LIMIT)
                    .until(() ->
                            away.assignment().size() == 2 && near.assignment().size() == 2);
            stage.load(1_000, i -> "key-" + i % 97);
            await().atMost(LIMIT).until(() -> first.size() > 100 && second.size() > 100);
            network.all(TcpProxy::cut);
            stage.load(1_000, 1_000, i -> "key-" + i % 97);
            await().atMost(LIMIT).until(() -> near.assignment().size() == 4);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(away.state()).isEqualTo(State.RUNNING);
            network.all(TcpProxy::heal);
            await().atMost(LIMIT).until(() -> lost.get() == 2);
            await().atMost(LIMIT)
                    .until(() ->
                            away.assignment().size() == 2 && near.assignment().size() == 2);
            stage.load(2_000, 1_000, i -> "key-" + i % 97);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            await().atMost(LIMIT).until(() -> away.health().status() == Health.Status.UP);
            assertThat(away.state()).isEqualTo(State.RUNNING);
            assertThat(near.state()).isEqualTo(State.RUNNING);
        } finally {
            network.all(TcpProxy::heal);
        }
        TreeSet<String> handled = new TreeSet<>(first.values());
        handled.addAll(second.values());
        assertThat(handled).hasSize(3_000);
        assertThat(first.violations()).isEmpty();
        assertThat(second.violations()).isEmpty();
        // What is repeated was done by the member that was cut off, which could not commit it.
        assertThat(second.repeated()).isEmpty();
    }

    private static LanewayBuilder<String, String> member(Stage stage, Map<String, Object> config) {
        return stage.consumer(config).concurrency(20).commit(CommitMode.async(millis(50)));
    }

    @Execution(ExecutionMode.SAME_THREAD) // They share the network.
    @ParameterizedTest(name = "{displayName}: {0}, {1}")
    @CsvSource({"EMITTED, SLOW", "EMITTED, SILENT", "DEAD_LETTER, SILENT", "EXACTLY_ONCE, SLOW"})
    @DisplayName("B89 the broker writes slowly, or does not answer: what is held stays within its budgets, the member"
            + " stays in its group, nothing is lost")
    void cannotWrite(OutputKind output, Trouble trouble) {
        Stage stage = Stage.on(kafka, 2);
        String out = stage.topic + ".out";
        kafka.createTopic(out, 2);
        AtomicLong most = new AtomicLong();
        AtomicLong mostBytes = new AtomicLong();
        AtomicInteger sent = new AtomicInteger();
        try (Laneway laneway = output.start(
                stage.consumer(Map.of(
                                "max.poll.records",
                                POLL,
                                "max.partition.fetch.bytes",
                                POLL_BYTES,
                                "fetch.max.bytes",
                                POLL_BYTES))
                        .bufferRecords(BUDGET)
                        .bufferBytes(BUDGET_BYTES)
                        .concurrency(20),
                out,
                producing(),
                sent)) {
            stage.load(0, 10, i -> "key-" + i);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            long rebalances = laneway.snapshot().counters().rebalances();
            network.all(trouble == Trouble.SLOW ? TroubledPathTest::slow : TcpProxy::cut);
            stage.load(10, RECORDS - 10, i -> "x".repeat(1_000) + i % 97);
            await().atMost(LIMIT).pollInterval(millis(5)).until(() -> {
                Snapshot now = laneway.snapshot();
                most.accumulateAndGet(now.held(), Math::max);
                mostBytes.accumulateAndGet(now.heldBytes(), Math::max);
                // Silent so long that the producer gives up, and the engine sends again.
                return now.partitions().stream().anyMatch(PartitionSnapshot::paused)
                        && (trouble == Trouble.SLOW || output.isSentAgain(now, sent));
            });
            network.all(TcpProxy::heal);
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(laneway.state()).isEqualTo(State.RUNNING);
            assertThat(laneway.snapshot().counters().rebalances()).isEqualTo(rebalances);
        } finally {
            network.all(TcpProxy::heal);
        }
        assertThat(most.get()).isLessThanOrEqualTo(BUDGET + POLL);
        assertThat(mostBytes.get()).isPositive().isLessThanOrEqualTo(BUDGET_BYTES + 2 * POLL_BYTES);
        List<String> there = Stage.readCommitted(kafka, out);
        assertThat(new TreeSet<>(there))
                .isEqualTo(new TreeSet<>(
                        IntStream.range(0, RECORDS).mapToObj(Integer::toString).toList()));
        if (output == OutputKind.EXACTLY_ONCE) {
            assertThat(there).hasSize(RECORDS);
        }
    }

    private static void slow(TcpProxy proxy) {
        proxy.delay(TcpProxy.Direction.TO_CLIENT, millis(150));
    }

    private Map<String, Object> producing() {
        return Map.of(
                "bootstrap.servers",
                network.bootstrapServers(),
                "request.timeout.ms",
                1_000,
                "delivery.timeout.ms",
                2_000,
                "linger.ms",
                0,
                // A producer that reaches no broker forgets its metadata, and then waits in send.
                "max.block.ms",
                1_000,
                "reconnect.backoff.max.ms",
                200);
    }
}
