package dev.laneway;

import static dev.laneway.Stage.LIMIT;
import static dev.laneway.Stage.millis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Execution(ExecutionMode.CONCURRENT) // It mostly waits.
@Timeout(180)
@DisplayName("Where a group begins, on a real broker")
class StartAtTest {
    private static void awaitCommitted(Stage stage, int partitions) {
        await().atMost(LIMIT)
                .until(() -> IntStream.range(0, partitions).allMatch(partition -> stage.committed(partition) >= 0));
    }

    private static LanewayBuilder<String, String> consumer(Stage stage, Protocol protocol, StartPosition start) {
        // The interval is never over: what is committed was committed as a start.
        return stage.consumer(protocol.config()).startAt(start).commit(CommitMode.async(Duration.ofHours(1)));
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B98 latest is committed before a record is read: the next process loses nothing of what came since")
    void latest(Protocol protocol) {
        Stage stage = Stage.of(6);
        stage.load(300, i -> "key-" + i);
        Journal journal = new Journal();
        try (Laneway _ =
                consumer(stage, protocol, StartPosition.latest()).consumers(3).process(journal.note(record -> {}))) {
            awaitCommitted(stage, 6);
        }
        assertThat(stage.isCommittedToEnd()).isTrue();
        stage.load(300, 400, i -> "key-" + i);
        try (Laneway _ = consumer(stage, protocol, StartPosition.latest()).process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> journal.size() >= 400);
            // A second process, and the rebalance that it brings.
            try (Laneway _ = consumer(stage, protocol, StartPosition.latest()).process(journal.note(record -> {}))) {
                stage.load(700, 100, i -> "key-" + i);
                await().atMost(LIMIT).until(() -> journal.size() >= 500);
            }
        }
        assertThat(journal.values())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(300, 800).mapToObj(Integer::toString).toList());
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B98 what the group has committed counts, and no start position does")
    void committed(Protocol protocol) {
        for (StartPosition start : List.of(
                StartPosition.earliest(),
                StartPosition.latest(),
                StartPosition.timestamp(Instant.EPOCH),
                StartPosition.offsets(Map.of()))) {
            Stage stage = Stage.of(1);
            stage.load(100, i -> "key-" + i);
            stage.commit(0, 95, "");
            StartPosition given = start instanceof StartPosition.Offsets
                    ? StartPosition.offsets(Map.of(stage.partition(0), 7L))
                    : start;
            Journal journal = new Journal();
            try (Laneway _ = consumer(stage, protocol, given).process(journal.note(record -> {}))) {
                await().atMost(LIMIT).until(() -> journal.size() >= 5);
            }
            assertThat(journal.offsets(0)).as(given.toString()).containsExactlyInAnyOrder(95L, 96L, 97L, 98L, 99L);
        }
    }

    @Test
    @DisplayName("B98 an offset is where the group begins, and is committed before a record is done")
    void offset() {
        Stage stage = Stage.of(1);
        stage.load(100, i -> "key-" + i);
        Journal journal = new Journal();
        StartPosition start = StartPosition.offsets(Map.of(stage.partition(0), 90L));
        try (Laneway _ = consumer(stage, Protocol.EAGER, start)
                .closeLimit(Duration.ZERO)
                .process(journal.note(record -> new java.util.concurrent.CountDownLatch(1).await()))) {
            awaitCommitted(stage, 1);
        }
        assertThat(stage.committed(0)).isEqualTo(90);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(Protocol.class)
    @DisplayName("B98 a partition that was added while nobody was there is read from its beginning")
    void added(Protocol protocol) throws Exception {
        Stage stage = Stage.of(2);
        stage.load(50, i -> "key-" + i);
        Journal journal = new Journal();
        try (Laneway _ = consumer(stage, protocol, StartPosition.latest()).process(journal.note(record -> {}))) {
            awaitCommitted(stage, 2);
        }
        stage.kafka
                .admin()
                .createPartitions(Map.of(stage.topic, NewPartitions.increaseTo(4)))
                .all()
                .get();
        await().atMost(LIMIT).until(() -> stage.kafka.endOffsets(stage.topic).size() == 4);
        stage.loadInto(2, 30, i -> "key-" + i);
        stage.loadInto(3, 40, i -> "key-" + i);
        try (Laneway _ =
                consumer(stage, protocol, StartPosition.latest()).consumers(2).process(journal.note(record -> {}))) {
            await().atMost(LIMIT).until(() -> journal.size() >= 70);
        }
        assertThat(journal.offsets(2)).hasSize(30);
        assertThat(journal.offsets(3)).hasSize(40);
        assertThat(journal.size()).isEqualTo(70);
    }

    @ParameterizedTest(name = "{displayName}: {0}")
    @EnumSource(value = Protocol.class, names = "EAGER", mode = EnumSource.Mode.EXCLUDE)
    @DisplayName("B103 a timestamp that no record has yet: what is written while it is looked for is read")
    void timestamp(Protocol protocol) throws Exception {
        Stage stage = Stage.of(1);
        stage.load(10, i -> "key-" + i);
        Journal journal = new Journal();
        Map<String, Object> config = stage.config(protocol.config(Map.of("enable.auto.commit", "false")));
        Instant soon = Instant.now().plusSeconds(600);
        List<String> asked = new ArrayList<>();
        Around around = (method, arguments, real) -> {
            Object answer = real.call();
            // Too late for this answer, but before a start that looks up the end only now.
            if (method.equals("offsetsForTimes") && asked.isEmpty()) {
                asked.add(method);
                stage.kafka.produce(List.of(new ProducerRecord<>(
                        stage.topic,
                        0,
                        soon.plusMillis(1).toEpochMilli(),
                        Stage.bytes("key"),
                        Stage.bytes("written meanwhile"))));
            }
            return answer;
        };
        try (Laneway _ = stage.strings(Laneway.consumer(config, () -> around.consumer(config)))
                .startAt(StartPosition.timestamp(soon))
                .process(journal.note(record -> {}))) {
            await().atMost(LIMIT).pollInterval(millis(20)).until(() -> journal.size() > 0);
        }
        assertThat(journal.values()).containsExactly("written meanwhile");
    }
}
