package dev.laneway.testkit.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.testkit.GroupKind;
import dev.laneway.testkit.sim.Faults.Action;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Faults")
class SimFaultsTest {
    private static final TopicPartition P0 = new TopicPartition("t", 0);

    private final Simulation sim = Simulation.seeded(5);
    private final List<String> seen = new ArrayList<>();

    @AfterEach
    void close() {
        sim.close();
    }

    /** A lone member that has its partition, with all delays at zero. */
    private SimConsumer member(GroupKind kind) {
        sim.broker().createTopic("t", 1);
        SimConsumer consumer = sim.broker().consumer(kind.with(Map.of("group.id", "g")));
        consumer.waitInPoll();
        consumer.subscribe(List.of("t"), new Listener(seen));
        while (consumer.assignment().isEmpty()) {
            consumer.poll(Duration.ofMillis(100));
        }
        return consumer;
    }

    private void commitAsync(SimConsumer consumer, long offset) {
        consumer.commitAsync(
                Map.of(P0, new OffsetAndMetadata(offset)),
                (offsets, error) -> seen.add(
                        offset + " " + (error == null ? "ok" : error.getClass().getSimpleName())));
    }

    private long committed() {
        OffsetAndMetadata offset = sim.broker().committed("g").get(P0);
        return offset == null ? -1 : offset.offset();
    }

    @Test
    @DisplayName("fail: the caller gets the error and nothing is stored; failAfterwards: it is stored all the same")
    void failing() {
        SimConsumer consumer = member(GroupKind.COOPERATIVE);
        seen.clear();
        sim.faults()
                .on(SimOp.COMMIT, 1, Action.fail(() -> new TimeoutException("t")))
                .on(SimOp.COMMIT, 2, Action.failAfterwards(() -> new AuthorizationException("a")));
        commitAsync(consumer, 1);
        consumer.poll(Duration.ZERO);
        assertThat(committed()).isEqualTo(-1);
        commitAsync(consumer, 2);
        consumer.poll(Duration.ZERO);
        assertThat(committed()).isEqualTo(2);
        commitAsync(consumer, 3);
        consumer.poll(Duration.ZERO);
        assertThat(committed()).isEqualTo(3);
        assertThat(seen).containsExactly("1 RetriableCommitFailedException", "2 AuthorizationException", "3 ok");
    }

    @Test
    @DisplayName("delay: a late commit holds up those behind it, so that the last one counts")
    void delaying() {
        SimConsumer consumer = member(GroupKind.CONSUMER);
        seen.clear();
        sim.faults().next(SimOp.COMMIT, Action.delay(Duration.ofSeconds(2)));
        commitAsync(consumer, 1);
        commitAsync(consumer, 2);
        sim.pass(Duration.ofSeconds(1));
        consumer.poll(Duration.ZERO);
        assertThat(seen).isEmpty();
        assertThat(committed()).isEqualTo(-1);
        sim.pass(Duration.ofSeconds(1));
        assertThat(committed()).isEqualTo(2);
        assertThat(seen).isEmpty();
        consumer.poll(Duration.ZERO);
        assertThat(seen).containsExactly("1 ok", "2 ok");
    }

    @Test
    @DisplayName(
            "lost on the way there or back: the client gives up after request.timeout.ms; swallowed: it never hears of"
                    + " it")
    void losing() {
        SimConsumer consumer = member(GroupKind.COOPERATIVE);
        seen.clear();
        sim.faults()
                .on(SimOp.COMMIT, 1, Action.loseRequest())
                .on(SimOp.COMMIT, 2, Action.loseResponse())
                .on(SimOp.COMMIT, 3, Action.swallowResponse())
                .on(SimOp.COMMIT, 4, Action.swallow());
        commitAsync(consumer, 1);
        assertThat(committed()).isEqualTo(-1);
        commitAsync(consumer, 2);
        assertThat(committed()).isEqualTo(2);
        commitAsync(consumer, 3);
        assertThat(committed()).isEqualTo(3);
        commitAsync(consumer, 4);
        assertThat(committed()).isEqualTo(3);
        sim.pass(Duration.ofSeconds(29));
        consumer.poll(Duration.ZERO);
        assertThat(seen).isEmpty();
        sim.pass(Duration.ofSeconds(2));
        consumer.poll(Duration.ZERO);
        sim.pass(Duration.ofSeconds(100));
        consumer.poll(Duration.ZERO);
        assertThat(seen).containsExactly("1 RetriableCommitFailedException", "2 RetriableCommitFailedException");
    }

    @Test
    @DisplayName("a poll that the script names throws; the next one works")
    void failingPoll() {
        SimConsumer consumer = member(GroupKind.EAGER);
        sim.broker().append("t", 0, null, "v".getBytes(UTF_8));
        sim.faults().next(SimOp.POLL, Action.fail(() -> new SaslAuthenticationException("expired")));
        assertThatThrownBy(() -> consumer.poll(Duration.ZERO)).isInstanceOf(SaslAuthenticationException.class);
        assertThat(consumer.poll(Duration.ofSeconds(1)).count()).isEqualTo(1);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(GroupKind.class)
    @DisplayName("B15 an outage: asynchronous commits fail as retriable, synchronous ones come through when it is over")
    void outage(GroupKind kind) {
        SimConsumer consumer = member(kind);
        seen.clear();
        sim.faults().outage(Duration.ofSeconds(1), Duration.ofSeconds(5));
        sim.pass(Duration.ofSeconds(2));
        commitAsync(consumer, 1);
        consumer.poll(Duration.ZERO);
        assertThat(seen).containsExactly("1 RetriableCommitFailedException");
        long before = sim.clock().nanoTime();
        consumer.commitSync(Map.of(P0, new OffsetAndMetadata(2)));
        assertThat(committed()).isEqualTo(2);
        assertThat(sim.clock().nanoTime() - before).isGreaterThanOrEqualTo(4_000_000_000L);
        assertThatThrownBy(() -> {
                    sim.broker().down();
                    consumer.commitSync(Map.of(P0, new OffsetAndMetadata(3)), Duration.ofSeconds(1));
                })
                .isInstanceOf(TimeoutException.class);
        sim.faults().heal();
        consumer.commitSync(Map.of(P0, new OffsetAndMetadata(4)));
        assertThat(committed()).isEqualTo(4);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(GroupKind.class)
    @DisplayName("B15 a coordinator that loads: commits are retriable, and nobody loses a partition")
    void coordinatorMoves(GroupKind kind) {
        SimConsumer consumer = member(kind);
        seen.clear();
        sim.broker().moveCoordinator(Duration.ofSeconds(4));
        commitAsync(consumer, 1);
        consumer.poll(Duration.ZERO);
        consumer.commitSync(Map.of(P0, new OffsetAndMetadata(2)));
        consumer.poll(Duration.ofSeconds(10));
        assertThat(seen).containsExactly("1 " + RetriableCommitFailedException.class.getSimpleName());
        assertThat(committed()).isEqualTo(2);
        assertThat(consumer.assignment()).containsExactly(P0);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(GroupKind.class)
    @DisplayName("an evicted member cannot commit once others are there, loses its partitions in poll, and joins again")
    void eviction(GroupKind kind) {
        SimConsumer consumer = member(kind);
        seen.clear();
        sim.broker().evict("g", sim.broker().members("g").getFirst());
        SimConsumer other = sim.broker().consumer(kind.with(Map.of("group.id", "g")));
        other.waitInPoll();
        other.subscribe(List.of("t"));
        while (other.assignment().isEmpty()) {
            other.poll(Duration.ofMillis(10));
        }
        assertThatThrownBy(() -> consumer.commitSync(Map.of(P0, new OffsetAndMetadata(1))))
                .isInstanceOf(CommitFailedException.class);
        assertThat(committed()).isEqualTo(-1);
        for (int i = 0; i < 100 && seen.isEmpty(); i++) {
            consumer.poll(Duration.ofMillis(100));
        }
        assertThat(seen.getFirst()).isEqualTo("lost [t-0]");
        other.close();
        while (consumer.assignment().isEmpty()) {
            consumer.poll(Duration.ofMillis(100));
        }
        assertThat(seen.getLast()).isEqualTo("assigned [t-0]");
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(GroupKind.class)
    @DisplayName("a killed member keeps its partition until its session ends, then another one gets it")
    void killed(GroupKind kind) {
        SimConsumer dead = member(kind);
        dead.kill();
        assertThatThrownBy(() -> dead.poll(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
        long since = sim.clock().nanoTime();
        SimConsumer heir = sim.broker().consumer(kind.with(Map.of("group.id", "g")));
        heir.waitInPoll();
        heir.subscribe(List.of("t"));
        while (heir.assignment().isEmpty()) {
            heir.poll(Duration.ofMillis(100));
        }
        assertThat(Duration.ofNanos(sim.clock().nanoTime() - since))
                .isBetween(Duration.ofSeconds(39), Duration.ofSeconds(60));
    }

    @Test
    @DisplayName("a rebalance before the broker has dealt with a new member loses no partition")
    void rebalanceAfterJoin() {
        sim.broker().createTopic("t", 3);
        List<SimConsumer> members = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            SimConsumer member = sim.broker().consumer(GroupKind.CONSUMER.with(Map.of("group.id", "g")));
            member.waitInPoll();
            member.subscribe(List.of("t"), new Listener(seen));
            member.poll(Duration.ofMillis(10));
            members.add(member);
        }
        for (int i = 0; i < 3; i++) {
            sim.broker().rebalance("g");
        }
        for (int i = 0; i < 200; i++) {
            members.forEach(member -> member.poll(Duration.ofMillis(100)));
        }
        assertThat(members.stream()
                        .mapToInt(member -> member.assignment().size())
                        .sum())
                .isEqualTo(3);
    }

    @Test
    @DisplayName("records sent during an outage are acknowledged in order when it is over, or time out")
    void producing() {
        sim.broker().createTopic("t", 1);
        SimProducer producer = sim.broker().producer(Map.of());
        sim.broker().down();
        for (int i = 0; i < 3; i++) {
            send(producer, i);
        }
        sim.pass(Duration.ofSeconds(10));
        send(producer, 3);
        assertThat(seen).isEmpty();
        sim.broker().up();
        sim.pass(Duration.ofSeconds(1));
        assertThat(seen).containsExactly("0 at 0", "1 at 1", "2 at 2", "3 at 3");
        seen.clear();
        sim.broker().down();
        send(producer, 4);
        sim.pass(Duration.ofSeconds(121));
        assertThat(seen).containsExactly("4 TimeoutException");
        sim.faults().heal();
        sim.faults().next(SimOp.PRODUCE, Action.fail(() -> new KafkaException("disk")));
        send(producer, 5);
        assertThat(seen).as("never inside send").hasSize(1);
        sim.pass(Duration.ZERO);
        assertThat(seen).containsExactly("4 TimeoutException", "5 KafkaException");
        assertThat(sim.broker().endOffset(P0)).isEqualTo(4);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback gets everything
    private void send(SimProducer producer, int value) {
        producer.send(
                new ProducerRecord<>("t", 0, null, Integer.toString(value).getBytes(UTF_8)),
                (metadata, error) -> seen.add(value
                        + (error == null
                                ? " at " + metadata.offset()
                                : " " + error.getClass().getSimpleName())));
    }

    @Test
    @DisplayName("the transaction of a killed producer is aborted when it times out, and readers go on")
    void killedProducer() {
        sim.broker().createTopic("t", 1);
        SimProducer producer = sim.broker().producer(Map.of("transactional.id", "x", "transaction.timeout.ms", 10_000));
        producer.initTransactions();
        producer.beginTransaction();
        send(producer, 1);
        producer.flush();
        producer.kill();
        sim.broker().append("t", 0, null, "after".getBytes(UTF_8));
        assertThat(sim.broker().records(P0)).isEmpty();
        sim.pass(Duration.ofSeconds(11));
        assertThat(sim.broker().records(P0)).hasSize(1);
        assertThat(sim.broker().endOffset(P0)).isEqualTo(3);
    }

    @Test
    @DisplayName("consumers may live in tasks: each waits in poll for itself, and both come to their share")
    void consumersInTasks() {
        sim.broker().createTopic("t", 2);
        for (int i = 0; i < 10; i++) {
            sim.broker().append("t", i % 2, null, Integer.toString(i).getBytes(UTF_8));
        }
        boolean[] stop = {false};
        for (int i = 0; i < 2; i++) {
            String name = "m" + i;
            sim.scheduler().execute(() -> {
                SimConsumer consumer = sim.broker().consumer(GroupKind.COOPERATIVE.with(Map.of("group.id", "g")));
                consumer.waitInPoll();
                consumer.subscribe(List.of("t"));
                while (!stop[0]) {
                    consumer.poll(Duration.ofSeconds(1));
                }
                seen.add(name + " has " + consumer.assignment().size());
                consumer.close();
            });
        }
        sim.pass(Duration.ofSeconds(60));
        stop[0] = true;
        sim.pass(Duration.ofSeconds(10));
        assertThat(seen).containsExactlyInAnyOrder("m0 has 1", "m1 has 1");
        assertThat(sim.broker().members("g")).isEmpty();
        assertThat(sim.scheduler().liveTasks()).isZero();
    }

    @Test
    @DisplayName("a wakeup surfaces in the next blocking call even when its answer is there at once")
    void lateWakeup() {
        SimConsumer consumer = member(GroupKind.COOPERATIVE);
        consumer.wakeup();
        assertThatThrownBy(() -> consumer.commitSync(Map.of(P0, new OffsetAndMetadata(1))))
                .isInstanceOf(WakeupException.class);
        assertThat(committed()).as("it had been sent").isEqualTo(1);
        consumer.commitSync(Map.of(P0, new OffsetAndMetadata(2)));
        assertThat(committed()).isEqualTo(2);
    }

    @Test
    @DisplayName("wrong settings are refused with value and rule")
    void misuse() {
        assertThatThrownBy(() -> sim.faults().on(SimOp.COMMIT, 0, Action.swallow()))
                .hasMessageContaining("counted from 1");
        assertThatThrownBy(() -> sim.faults().randomly(SimOp.COMMIT, 1.5, Action.swallow()))
                .hasMessageContaining("between 0 and 1");
        assertThatThrownBy(() -> sim.faults().latency(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("min <= max");
        assertThatThrownBy(() -> sim.faults().repeatedly(Duration.ZERO, () -> {}))
                .hasMessageContaining("positive");
    }

    /** Writes down what a rebalance does. */
    private record Listener(List<String> seen) implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            seen.add("revoked " + partitions);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            seen.add("assigned " + partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            seen.add("lost " + partitions);
        }
    }
}
