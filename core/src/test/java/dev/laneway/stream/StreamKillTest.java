package dev.laneway.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.SharedKafka;
import dev.laneway.testkit.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Two processes copy a topic by streams. One after the other is killed, or stopped for longer than its session and then
 * continued, so that it writes and commits as if it still had its partitions. {@code -Dseed=N} chooses other moments.
 */
@Execution(ExecutionMode.CONCURRENT) // It mostly waits for its processes.
@DisplayName("Processes with streams that are killed or stopped beyond their session")
class StreamKillTest {
    private static final int RECORDS = 12_000;
    private static final int KEYS = 500;
    private static final int PARTITIONS = 4;
    private static final int ROUNDS = 4;
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration BEYOND_THE_SESSION = Duration.ofSeconds(4);

    @TempDir
    private Path directory;

    private final KafkaCluster kafka = SharedKafka.get();
    private final String in = "stream-in-" + UUID.randomUUID();
    private final String out = "out-" + in;
    private final long seed = Long.getLong("seed", ThreadLocalRandom.current().nextLong());
    private final Random random = new Random(seed);
    private final List<Process> processes = new ArrayList<>();
    private int written;

    @Test
    @DisplayName("B80 B4 at-least-once: each record has its copy, whoever was killed or went on beyond its session")
    void atLeastOnce() throws Exception {
        List<ConsumerRecord<byte[], byte[]>> copies = copies(StreamProcess.Kind.AT_LEAST_ONCE);

        assertThat(counted(copies))
                .as("seed %d: records that have a copy", seed)
                .hasSize(RECORDS);
    }

    @Test
    @DisplayName("B60 exactly-once: each record has one copy, in its key's order, also beside one that was fenced")
    void exactlyOnce() throws Exception {
        List<ConsumerRecord<byte[], byte[]>> copies = copies(StreamProcess.Kind.EXACTLY_ONCE);

        Map<String, Integer> counted = counted(copies);
        assertThat(counted).as("seed %d: records that have a copy", seed).hasSize(RECORDS);
        assertThat(counted.values()).as("seed %d: copies of each", seed).containsOnly(1);
        Map<String, Integer> latest = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> copy : copies) {
            int number = Integer.parseInt(new String(copy.value(), UTF_8).split(" ", -1)[2]);
            Integer before = latest.put(new String(copy.key(), UTF_8), number);
            assertThat(before == null || before < number)
                    .as("seed %d: %s after %s of one key", seed, number, before)
                    .isTrue();
        }
    }

    /** Runs processes over the topic while more is written, kills or stops them, and reads the copies. */
    private List<ConsumerRecord<byte[], byte[]>> copies(StreamProcess.Kind kind) throws Exception {
        kafka.createTopic(in, PARTITIONS);
        kafka.createTopic(out, PARTITIONS);
        try {
            Process[] running = {start(kind, 0), start(kind, 1)};
            for (int round = 0; round < ROUNDS; round++) {
                write(RECORDS / ROUNDS);
                int victim = round % 2;
                awaitCopies(written - RECORDS / ROUNDS + random.nextInt(RECORDS / ROUNDS));
                if (random.nextBoolean()) {
                    signal(running[victim], "STOP");
                    // The wait is the fault: the stopped process misses its session, and the group goes on without it.
                    await().pollDelay(BEYOND_THE_SESSION).until(() -> true);
                    signal(running[victim], "CONT");
                } else {
                    running[victim].destroyForcibly().waitFor();
                    running[victim] = start(kind, victim);
                }
            }
            await("seed " + seed + ": all committed")
                    .atMost(LIMIT)
                    .until(() -> ended(running) || kafka.isCommittedToEnd(group(), in));
            assertThat(ended(running)).as("seed %d: %s", seed, said()).isFalse();
        } finally {
            for (Process process : processes) {
                process.destroyForcibly().waitFor();
            }
        }
        return read();
    }

    private static boolean ended(Process... running) {
        return !running[0].isAlive() || !running[1].isAlive();
    }

    private String group() {
        return "group-" + in;
    }

    private Process start(StreamProcess.Kind kind, int member) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StreamProcess.class.getName(),
                        kind.name(),
                        kafka.bootstrapServers(),
                        group(),
                        in + "-" + member,
                        in,
                        out)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("process-" + processes.size()).toFile())
                .start();
        processes.add(process);
        return process;
    }

    private static void signal(Process process, String signal) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    private void write(int records) {
        kafka.produce(IntStream.range(written, written + records)
                .mapToObj(i -> new ProducerRecord<>(
                        in,
                        ("key-" + i % KEYS).getBytes(UTF_8),
                        Integer.toString(i).getBytes(UTF_8)))
                .toList());
        written += records;
    }

    private void awaitCopies(int number) {
        await("seed " + seed + ": " + number + " copies")
                .atMost(LIMIT)
                .until(() -> kafka.endOffsets(out).values().stream()
                                .mapToLong(Long::longValue)
                                .sum()
                        >= number);
    }

    private List<ConsumerRecord<byte[], byte[]>> read() {
        List<ConsumerRecord<byte[], byte[]>> copies = new ArrayList<>();
        try (Consumer<byte[], byte[]> reader = kafka.consumer(Map.of("isolation.level", "read_committed"))) {
            List<TopicPartition> partitions = IntStream.range(0, PARTITIONS)
                    .mapToObj(partition -> new TopicPartition(out, partition))
                    .toList();
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            // Up to the ends of what is committed: transactions that a killed process left open hold no one up for
            // long.
            await("seed " + seed + ": all read").atMost(LIMIT).until(() -> {
                reader.poll(Duration.ofMillis(100)).forEach(copies::add);
                return partitions.stream()
                        .allMatch(id ->
                                reader.position(id) >= kafka.endOffsets(out).get(id));
            });
        }
        return copies;
    }

    private Map<String, Integer> counted(List<ConsumerRecord<byte[], byte[]>> copies) {
        Map<String, Integer> counted = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> copy : copies) {
            String value = new String(copy.value(), UTF_8);
            counted.merge(value.substring(0, value.lastIndexOf(' ')), 1, Integer::sum);
        }
        return counted;
    }

    private List<String> said() throws IOException {
        List<String> said = new ArrayList<>();
        for (int i = 0; i < processes.size(); i++) {
            said.add(Files.readString(directory.resolve("process-" + i)));
        }
        return said;
    }
}
