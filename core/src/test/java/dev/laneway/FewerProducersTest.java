package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.bytes;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("The producers of exactly-once, several of them")
class FewerProducersTest {
    private final Stage stage = Stage.of(1);
    private final String out = stage.topic + ".out";

    FewerProducersTest() {
        stage.kafka.createTopic(out, 1);
    }

    /** A producer that dies with a transaction open, which ends by itself after minutes. */
    private Producer<byte[], byte[]> open(String id) {
        Producer<byte[], byte[]> producer =
                stage.kafka.producer(Map.of("transactional.id", id, "transaction.timeout.ms", 600_000));
        producer.initTransactions();
        producer.beginTransaction();
        var _ = producer.send(new ProducerRecord<>(out, bytes("key"), bytes("never")));
        producer.flush();
        return producer;
    }

    @Test
    @DisplayName(
            "B113 with fewer members and producers than before a crash, what the former ones left open ends at once")
    void fewerThanBefore() {
        List<Producer<byte[], byte[]>> dead = new ArrayList<>();
        for (String former : List.of("-0-0", "-0-1", "-0-3", "-1-0")) {
            dead.add(open(stage.topic + former));
        }
        stage.load(10, i -> "key-" + i);
        try (Laneway _ = stage.consumer()
                .commit(CommitMode.exactlyOnce(stage.topic).withInterval(millis(20)))
                .transform(
                        new StringSerializer(),
                        new StringSerializer(),
                        record -> List.of(new ProducerRecord<>(out, record.key(), record.value())))) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
            assertThat(Stage.readCommitted(stage.kafka, out)).hasSize(10).doesNotContain("never");
        }
        dead.forEach(producer -> producer.close(Duration.ZERO));
    }

    @Test
    @DisplayName("B113 a transaction of another process is left alone, also where its name begins alike")
    void othersGoOn() {
        Producer<byte[], byte[]> former = open(stage.topic + "-0-1");
        Producer<byte[], byte[]> other = open(stage.topic + "-0-0-1");
        try (Laneway _ = stage.consumer()
                .commit(CommitMode.exactlyOnce(stage.topic).withInterval(millis(20)))
                .process(record -> {})) {
            await().atMost(LIMIT).until(() -> isEnded(stage.topic + "-0-1"));
            other.commitTransaction(); // Throws if it was fenced.
        }
        former.close(Duration.ZERO);
        other.close(Duration.ZERO);
    }

    private boolean isEnded(String id) throws Exception {
        return stage.kafka.admin().listTransactions().all().get().stream()
                .noneMatch(one -> one.transactionalId().equals(id) && one.state() == TransactionState.ONGOING);
    }

    @Test
    @DisplayName("B113 several producers are closed at once, each with all of the limit")
    void closeTogether() {
        AtomicInteger made = new AtomicInteger();
        Queue<Duration> limits = new ConcurrentLinkedQueue<>();
        Around slow = (method, arguments, real) -> {
            if (method.equals("close") && arguments.length == 1) {
                limits.add((Duration) arguments[0]);
                Stage.work(millis(300));
            }
            return real.call();
        };
        stage.load(10, i -> "key-" + i);
        try (Laneway _ = stage.consumer()
                .commit(CommitMode.exactlyOnce(stage.topic).withProducers(4))
                .closeLimit(Duration.ofSeconds(5))
                .producer(() -> {
                    Map<String, Object> config = new HashMap<>(stage.config(Map.of()));
                    config.keySet().removeAll(List.of("group.id", "auto.offset.reset"));
                    config.put("transactional.id", stage.topic + "-0-" + made.getAndIncrement());
                    return slow.producer(config);
                })
                .process(record -> {})) {
            await().atMost(LIMIT).until(stage::isCommittedToEnd);
        }
        assertThat(limits).hasSize(4);
        assertThat(limits.stream().distinct())
                .as("none gets what another has left")
                .hasSize(1);
    }
}
