package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.cli.workload.CopyHeaders;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Kill -9 of processes that read, copy and write exactly once. {@code -Dexactly.once.records=1000000} makes it the long
 * proof, {@code -Dseed=N} kills at other moments.
 */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits for its processes.
class ExactlyOnceKillTest {
    private static final int USUAL_RECORDS = 30_000;
    private static final int RECORDS = Integer.getInteger("exactly.once.records", USUAL_RECORDS);
    private static final int KILLS = 4;
    /** Three minutes for the usual number, and as much for each as many more. */
    private static final Duration LIMIT = Duration.ofMinutes(3).multipliedBy(1 + (RECORDS - 1) / USUAL_RECORDS);

    @TempDir
    private Path directory;

    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final String topic = "in-" + UUID.randomUUID();
    private final String copies = "out-" + topic;
    private final Random random = new Random(Long.getLong("seed", 1));

    @Test
    @DisplayName("B60 kill -9 at random moments: each record's copy is committed once, and keys keep their order")
    void eachCopyOnce() throws Exception {
        Cli loaded = Cli.run(
                "load",
                "--topic",
                topic,
                "--records",
                Integer.toString(RECORDS),
                "--keys",
                "5000",
                "--partitions",
                "4",
                "--bootstrap",
                kafka.bootstrapServers());
        assertThat(loaded.code()).as(loaded.err()).isZero();
        kafka.createTopic(copies, 4);
        for (int kill = 1; kill <= KILLS; kill++) {
            long before = written();
            long until = before + RECORDS / (KILLS + 2) + random.nextInt(RECORDS / 20);
            try (Child child = consume("--work", "1ms")) {
                await().atMost(LIMIT).until(() -> written() >= until);
                child.kill();
                child.await();
            }
        }
        try (Child last = consume("--idle-exit", "2s")) {
            await().atMost(LIMIT).until(() -> !last.isAlive());
            assertThat(last.await()).as(last.err()).isZero();
        }
        eachIsThereOnce();
    }

    private Child consume(String... more) throws Exception {
        String[] line = {
            "consume",
            "--topic",
            topic,
            "--to",
            copies,
            "--group",
            "g-" + topic,
            "--exactly-once",
            "t-" + topic,
            "--concurrency",
            "200",
            "--property",
            "session.timeout.ms=2000",
            "--property",
            "heartbeat.interval.ms=300",
            "--bootstrap",
            kafka.bootstrapServers()
        };
        String[] all = Arrays.copyOf(line, line.length + more.length);
        System.arraycopy(more, 0, all, line.length, more.length);
        return Child.start(directory, all);
    }

    /** Records, markers and what was aborted. */
    private long written() {
        return kafka.endOffsets(copies).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private void eachIsThereOnce() {
        Map<String, BitSet> seen = new HashMap<>();
        Map<String, Long> lastOfKey = new HashMap<>();
        Map<TopicPartition, Long> ends = kafka.endOffsets(copies);
        long read = 0;
        try (Consumer<byte[], byte[]> reader =
                kafka.consumer(Map.of("group.id", "check-" + topic, "isolation.level", "read_committed"))) {
            reader.assign(ends.keySet());
            reader.seekToBeginning(ends.keySet());
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (ends.entrySet().stream().anyMatch(end -> reader.position(end.getKey()) < end.getValue())) {
                assertThat(System.nanoTime()).as("all is read in time").isLessThan(deadline);
                for (ConsumerRecord<byte[], byte[]> copy : reader.poll(Duration.ofMillis(200))) {
                    String partition = header(copy, CopyHeaders.PARTITION);
                    int offset = Integer.parseInt(header(copy, CopyHeaders.OFFSET));
                    BitSet offsets = seen.computeIfAbsent(partition, _ -> new BitSet());
                    assertThat(offsets.get(offset))
                            .as("the copy of %s@%s is not the second", partition, offset)
                            .isFalse();
                    offsets.set(offset);
                    Long earlier = lastOfKey.put(
                            partition + "/" + new String(copy.key(), StandardCharsets.UTF_8), (long) offset);
                    assertThat(earlier == null || earlier < offset)
                            .as("%s@%s keeps its key's order", partition, offset)
                            .isTrue();
                    read++;
                }
            }
        }
        assertThat(read).isEqualTo(RECORDS);
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
