package dev.laneway;

import static dev.laneway.Stage.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Room that partitions hold which do not go on")
class PausedRoomTest {
    private static final int PARTITIONS = 12;
    private static final int PAUSED = 10;
    private static final int BACKLOG = 500;
    private static final int OTHERS = 200;

    private final Stage stage = Stage.of(PARTITIONS);
    private final Map<TopicPartition, Queue<Long>> handled = new ConcurrentHashMap<>();
    private final CountDownLatch go = new CountDownLatch(1);

    @ParameterizedTest
    @ValueSource(strings = {"async", "sync", "at-most-once", "exactly-once", "one key"})
    @DisplayName("B26 is given back when others need it, and no record is lost, repeated or out of order")
    void userPauses(String how) {
        LanewayBuilder<byte[], byte[]> described = described();
        described = switch (how) {
            case "sync" -> described.commit(CommitMode.sync(Duration.ofMillis(50)));
            case "at-most-once" -> described.commit(CommitMode.ahead());
            case "exactly-once" -> described.commit(CommitMode.exactlyOnce(stage.group));
            default -> described;
        };
        produce(0, PAUSED, BACKLOG, how.equals("one key") ? 1 : 500);
        try (Laneway laneway = described.process(record -> {
            go.await();
            handled.computeIfAbsent(
                            new TopicPartition(record.topic(), record.partition()),
                            none -> new ConcurrentLinkedQueue<>())
                    .add(record.offset());
        })) {
            awaitFull(laneway);
            List<TopicPartition> paused =
                    IntStream.range(0, PAUSED).mapToObj(stage::partition).toList();
            laneway.pause(paused);
            await().until(() -> laneway.snapshot().partitions().stream()
                            .filter(one -> one.pauseReason().equals(Optional.of(PauseReason.USER)))
                            .count()
                    == PAUSED);
            go.countDown();
            produce(PAUSED, PARTITIONS, OTHERS, 500);
            await().untilAsserted(() -> assertThat(handled(PAUSED, PARTITIONS)).isEqualTo(2 * OTHERS));
            assertThat(handled(0, PAUSED)).isLessThan(PAUSED * BACKLOG);
            laneway.resume(paused);
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(handled(0, PAUSED)).isEqualTo(PAUSED * BACKLOG));
        }
        for (int i = 0; i < PAUSED; i++) {
            List<Long> offsets = new ArrayList<>(handled.get(stage.partition(i)));
            List<Long> sorted = offsets.stream().sorted().toList();
            assertThat(sorted).isEqualTo(LongStream.range(0, BACKLOG).boxed().toList());
            if (how.equals("one key")) {
                assertThat(offsets).isEqualTo(sorted);
            }
            assertThat(stage.committed(i)).isEqualTo(BACKLOG);
        }
    }

    @Test
    @DisplayName("B26 is given back while partitions wait for a time, which their records meet all the same")
    void delayed() {
        Instant due = Instant.now().plusSeconds(15);
        Queue<Long> late = new ConcurrentLinkedQueue<>();
        produce(0, PAUSED, BACKLOG, 500);
        try (Laneway laneway = described()
                .notBefore(NotBefore.rising(
                        record -> record.partition() < PAUSED ? due.plusMillis(record.offset()) : Instant.EPOCH))
                .process(record -> {
                    if (record.partition() < PAUSED) {
                        late.add(Duration.between(due.plusMillis(record.offset()), Instant.now())
                                .toMillis());
                    } else {
                        handled.computeIfAbsent(
                                        new TopicPartition(record.topic(), record.partition()),
                                        none -> new ConcurrentLinkedQueue<>())
                                .add(record.offset());
                    }
                })) {
            awaitFull(laneway);
            produce(PAUSED, PARTITIONS, OTHERS, 500);
            await().untilAsserted(() -> assertThat(handled(PAUSED, PARTITIONS)).isEqualTo(2 * OTHERS));
            assertThat(Instant.now()).isBefore(due);
            await().atMost(Duration.ofSeconds(30)).until(() -> late.size() == PAUSED * BACKLOG);
            assertThat(late).allSatisfy(millis -> assertThat(millis).isNotNegative());
        }
    }

    private LanewayBuilder<byte[], byte[]> described() {
        return Laneway.consumer(stage.config(Map.of("max.poll.records", 100)))
                .subscribe(stage.topic)
                .closeOnShutdown(false)
                .concurrency(8)
                .bufferRecords(600);
    }

    private void produce(int from, int to, int records, int keys) {
        for (int p = from; p < to; p++) {
            int partition = p;
            stage.kafka.produce(IntStream.range(0, records)
                    .mapToObj(
                            i -> new ProducerRecord<>(stage.topic, partition, bytes("key-" + i % keys), bytes("value")))
                    .toList());
        }
    }

    private static void awaitFull(Laneway laneway) {
        await().until(() -> laneway.snapshot().partitions().stream()
                        .filter(one -> one.pauseReason().isPresent())
                        .count()
                == PARTITIONS);
    }

    private int handled(int from, int to) {
        return IntStream.range(from, to)
                .map(p -> handled.getOrDefault(stage.partition(p), new ConcurrentLinkedQueue<>())
                        .size())
                .sum();
    }
}
