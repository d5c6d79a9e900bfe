package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A JVM of its own with a real consumer, whose thread {@code orders-poller-7} waits 20 ms for each record. */
final class ConsumerProcess implements AutoCloseable {
    static final String THREAD = "orders-poller-7";

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Process process;
    private final Path out;

    private ConsumerProcess(Process process, Path out) {
        this.process = process;
        this.out = out;
    }

    /** Starts one and waits until it has had records. */
    static ConsumerProcess start(Path directory, String servers, String topic, String... jvmOptions)
            throws IOException {
        Path out = Files.createTempFile(directory, "consumer", ".out");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(jvmOptions));
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("prometheus-metrics")) // An agent brings another version.
                .collect(Collectors.joining(File.pathSeparator));
        command.addAll(List.of("-cp", classPath, ConsumerProcess.class.getName()));
        command.addAll(List.of(servers, topic));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        ConsumerProcess started = new ConsumerProcess(process, out);
        await().atMost(LIMIT).until(() -> !process.isAlive() || started.said().contains("consumes"));
        assertThat(process.isAlive()).as(started.said()).isTrue();
        return started;
    }

    long pid() {
        return process.pid();
    }

    String said() throws IOException {
        return Files.readString(out);
    }

    /** Stops it in its tracks (STOP), or lets it go on (CONT). */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(pid())).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    @Override
    public void close() {
        kill();
    }

    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Its main method: bootstrap servers and a topic. */
    public static void main(String... args) {
        Properties config = new Properties();
        config.putAll(Map.of(
                "bootstrap.servers",
                args[0],
                "group.id",
                "group-of-" + args[1],
                "client.id",
                "orders-client",
                "auto.offset.reset",
                "earliest"));
        Thread poller = new Thread(() -> consume(config, args[1]), THREAD);
        poller.start();
    }

    private static void consume(Properties config, String topic) {
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            boolean first = true;
            while (true) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    if (first) {
                        System.out.println("consumes " + record.topic());
                        first = false;
                    }
                    callAnotherService();
                }
            }
        }
    }

    private static void callAnotherService() {
        LockSupport.parkNanos(20_000_000);
    }
}
