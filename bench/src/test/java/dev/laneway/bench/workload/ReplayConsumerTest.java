package dev.laneway.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.bench.measure.ArmResult;
import dev.laneway.bench.measure.ArmSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** That a replay gives what a real consumer gives, and that what runs over it is counted right. */
class ReplayConsumerTest {
    private static final int PARTITIONS = 3;
    private static final int RECORDS = 7_001;

    private final ReplayLog log = new ReplayLog(PARTITIONS, RECORDS, 50);
    private final ReplayConsumer consumer = ReplayConsumer.assigned(log);

    @Test
    @DisplayName("Every record comes once, offsets ascend from 0, polls have at most 1,000 of one partition")
    void replaysAll() {
        Map<Integer, Long> next = new HashMap<>();
        Map<String, Integer> partitionOfKey = new HashMap<>();
        for (ConsumerRecords<byte[], byte[]> polled = poll(); !polled.isEmpty(); polled = poll()) {
            assertThat(polled.partitions()).hasSize(1);
            assertThat(polled.count()).isLessThanOrEqualTo(ReplayLog.CHUNK);
            for (ConsumerRecord<byte[], byte[]> record : polled) {
                assertThat(record.offset()).isEqualTo(next.merge(record.partition(), 1L, Long::sum) - 1);
                partitionOfKey.merge(
                        new String(record.key(), StandardCharsets.US_ASCII), record.partition(), (before, now) -> {
                            assertThat(now).as("the partition of a key").isEqualTo(before);
                            return now;
                        });
            }
            assertThat(polled.nextOffsets())
                    .allSatisfy((id, offset) -> assertThat(offset.offset()).isEqualTo(next.get(id.partition())));
        }
        assertThat(next).containsExactlyInAnyOrderEntriesOf(Map.of(0, 2_334L, 1, 2_334L, 2, 2_333L));
        assertThat(log.ends()).containsExactly(2_334L, 2_334L, 2_333L);
        assertThat(partitionOfKey).hasSize(50);
    }

    @Test
    @DisplayName("A second replay of the same log begins at its start")
    void replaysAgain() {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            poll();
        }
        ReplayConsumer.assigned(log).poll(Duration.ZERO).forEach(record -> offsets.add(record.offset()));
        assertThat(offsets).startsWith(0L, 1L, 2L);
    }

    @Test
    @DisplayName("A paused partition gives nothing, and all of it when it is resumed")
    void pauses() {
        TopicPartition first = log.ids().getFirst();
        consumer.pause(List.of(first));
        assertThat(drain()).isEqualTo(RECORDS - 2_334);
        assertThat(consumer.currentLag(first)).hasValue(2_334);
        consumer.resume(List.of(first));
        assertThat(drain()).isEqualTo(2_334);
        assertThat(consumer.currentLag(first)).hasValue(0);
    }

    @Test
    @DisplayName("A wake-up ends the poll that waits, or else the next one, once")
    void wakesUp() throws InterruptedException {
        drain();
        consumer.wakeup();
        consumer.wakeup();
        assertThatThrownBy(this::poll).isInstanceOf(WakeupException.class);
        assertThat(poll().isEmpty()).isTrue();
        CountDownLatch woken = new CountDownLatch(1);
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                consumer.poll(Duration.ofMinutes(1));
            } catch (WakeupException expected) {
                woken.countDown();
            }
        });
        consumer.wakeup();
        assertThat(woken.await(30, TimeUnit.SECONDS)).isTrue();
        waiting.join();
    }

    @Test
    @DisplayName("An asynchronous commit is answered in the next poll, not before")
    void answersCommitsInPoll() {
        TopicPartition first = log.ids().getFirst();
        List<Long> answers = new ArrayList<>();
        consumer.commitAsync(
                Map.of(first, new OffsetAndMetadata(5)),
                (offsets, failure) -> answers.add(offsets.get(first).offset()));
        assertThat(answers).isEmpty();
        poll();
        assertThat(answers).containsExactly(5L);
        poll();
        assertThat(answers).hasSize(1);
    }

    @Test
    @DisplayName("The engine's own cost is measured over a replay, with bytes and with strings")
    void isMeasured() throws Exception {
        for (int strings = 0; strings <= 1; strings++) {
            Map<String, String> params =
                    Map.of("records", "7001", "strings", Integer.toString(strings), "warm-laps", "0", "laps", "1");
            ArmResult result =
                    Workloads.of(Workloads.COST).run(new ArmSpec("cost", "laneway", "", "", "", 0, 0, 0, params));
            assertThat(result.failure()).isNull();
            assertThat(result.rate()).isPositive();
            assertThat(result.figures()).containsKey("cpu_ns_per_record");
        }
    }

    private long drain() {
        long records = 0;
        for (ConsumerRecords<byte[], byte[]> polled = poll(); !polled.isEmpty(); polled = poll()) {
            records += polled.count();
        }
        return records;
    }

    private ConsumerRecords<byte[], byte[]> poll() {
        return consumer.poll(Duration.ZERO);
    }
}
