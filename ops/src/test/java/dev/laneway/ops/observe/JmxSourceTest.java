package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.laneway.testkit.EmbeddedKafka;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.remote.JMXConnector;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On real JVMs with real consumers. */
@SuppressWarnings("try") // A child that is closed early is closed again.
class JmxSourceTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final String topic = "jmx-" + UUID.randomUUID();

    @TempDir
    private Path directory;

    private ConsumerProcess consumer(String... jvmOptions) throws IOException {
        KAFKA.createTopic(topic, 1);
        KAFKA.produce(IntStream.range(0, 20_000)
                .mapToObj(i -> new ProducerRecord<>(topic, 0, (byte[]) null, new byte[10]))
                .toList());
        return ConsumerProcess.start(directory, KAFKA.bootstrapServers(), topic, jvmOptions);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static String[] jmx(int port, String... more) {
        String prefix = "-Dcom.sun.management.jmxremote.";
        return Stream.concat(
                        Stream.of(
                                prefix + "port=" + port,
                                prefix + "rmi.port=" + port,
                                prefix + "host=127.0.0.1",
                                prefix + "ssl=false",
                                "-Djava.rmi.server.hostname=127.0.0.1"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    @Test
    @DisplayName("B83 A JVM is read by its pid: clients, JVM, and what the thread that polls waits for")
    void readsByPid() throws IOException {
        try (ConsumerProcess child = consumer();
                JmxSource source = JmxSource.ofPid(child.pid())) {
            assertThat(source.name()).isEqualTo("pid " + child.pid());
            for (int i = 0; i < 5; i++) {
                source.read(LIMIT);
            }
            Sample sample = source.read(LIMIT);
            assertThat(sample.source()).isEqualTo(source.name());
            Map<String, String> client = Map.of("client-id", "orders-client");
            assertThat(sample.texts())
                    .containsEntry(
                            Metric.of("app-info", "version", client),
                            org.apache.kafka.common.utils.AppInfoParser.getVersion());
            Map<String, String> partition = Map.of("client-id", "orders-client", "topic", topic, "partition", "0");
            assertThat(sample.numbers())
                    .containsKeys(
                            Metric.of("app-info", "start-time-ms", client),
                            Metric.of("consumer-metrics", "time-between-poll-max", client),
                            Metric.of("consumer-coordinator-metrics", "last-heartbeat-seconds-ago", client),
                            Metric.of("consumer-fetch-manager-metrics", "records-lag", partition));
            assertThat(sample.numbers().values()).allMatch(Double::isFinite);
            assertThat(sample.numbers().get(Metric.of(Groups.JVM, "heap-max-bytes")))
                    .isBetween(100e6, 135e6);
            assertThat(sample.numbers().get(Metric.of(Groups.JVM, "available-processors")))
                    .isEqualTo(Runtime.getRuntime().availableProcessors());
            assertThat(sample.numbers().get(Metric.of(Groups.JVM, "process-cpu-ns-total")))
                    .isPositive();
            assertThat(sample.numbers())
                    .containsKeys(
                            Metric.of(Groups.JVM, "uptime-ms"),
                            Metric.of(Groups.JVM, "heap-used-bytes"),
                            Metric.of(Groups.JVM, "gc-time-ms-total", Map.of("gc", "Copy")));
            Map<String, String> thread = Map.of("thread-group", ConsumerProcess.THREAD);
            double waiting = sample.numbers().get(Metric.of(Groups.THREADS, "waiting-samples-total", thread));
            double all = sample.numbers().get(Metric.of(Groups.THREADS, "samples-total", thread));
            assertThat(waiting).isGreaterThan(all * 0.8);
            assertThat(tagged(sample, Groups.THREADS, "thread-group")).containsExactly(ConsumerProcess.THREAD);
        }
    }

    private static Set<String> tagged(Sample sample, String group, String tag) {
        return sample.numbers().keySet().stream()
                .filter(metric -> metric.group().equals(group))
                .map(metric -> metric.tag(tag))
                .collect(Collectors.toSet());
    }

    @Test
    @DisplayName("B83 A metric has the same name by JMX as in the process, whatever is in its tags")
    void sameNames() {
        String client = "odd:id,with=\"all\"*?" + UUID.randomUUID();
        try (Consumer<byte[], byte[]> consumer = KAFKA.consumer(Map.of("client.id", client, "group.id", topic));
                ClientMetricsSource inside = ClientMetricsSource.of("consumer", consumer::metrics);
                JmxSource outside = JmxSource.ofPid(ProcessHandle.current().pid())) {
            Sample told = inside.read(LIMIT);
            Sample seen = outside.read(LIMIT);
            Set<Metric> names = of(told, client);
            assertThat(names).hasSizeGreaterThan(50);
            assertThat(of(seen, client)).containsAll(names);
            assertThat(told.numbers()).containsKey(Metric.of(Groups.JVM, "uptime-ms"));
            assertThat(told.texts()).containsKey(Metric.of("app-info", "version", Map.of("client-id", client)));
        }
    }

    private static Set<Metric> of(Sample sample, String client) {
        return sample.numbers().keySet().stream()
                .filter(metric -> metric.tag("client-id").equals(client))
                .collect(Collectors.toSet());
    }

    @Test
    @DisplayName("B83 A JVM is read by host:port and by its service URL; one that stops and goes on is told, then read")
    void readsByUrl() throws Exception {
        int port = freePort();
        try (ConsumerProcess child = consumer(jmx(port, "-Dcom.sun.management.jmxremote.authenticate=false"));
                JmxSource source = JmxSource.ofUrl("127.0.0.1:" + port);
                JmxSource service = JmxSource.ofUrl("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi")) {
            assertThat(source.name()).isEqualTo("127.0.0.1:" + port);
            assertThat(source.read(LIMIT).numbers()).containsKey(Metric.of(Groups.JVM, "uptime-ms"));
            assertThat(service.read(LIMIT).numbers()).containsKey(Metric.of(Groups.JVM, "uptime-ms"));

            child.signal("STOP");
            inTime(() -> assertThatThrownBy(() -> source.read(Duration.ofMillis(500)))
                    .isInstanceOf(SourceFailure.class)
                    .hasMessageContaining("did not answer within 0.5 s"));
            child.signal("CONT");
            assertThat(source.read(LIMIT).numbers()).containsKey(Metric.of(Groups.JVM, "uptime-ms"));

            child.kill();
            assertThatThrownBy(() -> source.read(LIMIT))
                    .isInstanceOf(SourceFailure.class)
                    .hasMessageContaining("cannot be read by JMX")
                    .hasMessageContaining("check host and port")
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    @DisplayName("B83 A JMX that wants a password says so, and is read with it")
    void password() throws Exception {
        Path passwords = directory.resolve("passwords");
        Files.createFile(passwords, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(passwords, "reader secret-of-reader\n");
        Path access = Files.writeString(directory.resolve("access"), "reader readonly\n");
        int port = freePort();
        String[] options = jmx(
                port,
                "-Dcom.sun.management.jmxremote.authenticate=true",
                "-Dcom.sun.management.jmxremote.password.file=" + passwords,
                "-Dcom.sun.management.jmxremote.access.file=" + access);
        Map<String, ?> credentials = Map.of(JMXConnector.CREDENTIALS, new String[] {"reader", "secret-of-reader"});
        try (ConsumerProcess _ = consumer(options);
                JmxSource without = JmxSource.ofUrl("127.0.0.1:" + port);
                JmxSource with = JmxSource.ofUrl("127.0.0.1:" + port, credentials)) {
            assertThatThrownBy(() -> without.read(LIMIT))
                    .isInstanceOf(SourceFailure.class)
                    .hasMessageContaining("refuses")
                    .hasMessageContaining("user and password");
            Sample sample = with.read(LIMIT);
            assertThat(sample.numbers())
                    .containsKey(Metric.of(
                            "consumer-metrics", "time-between-poll-max", Map.of("client-id", "orders-client")));
            assertThat(tagged(sample, Groups.THREADS, "thread-group"))
                    .as("who may only read attributes may not ask for stacks")
                    .isEmpty();
        }
    }

    @Test
    @DisplayName("B83 A JMX that never answers fails within the limit, each time, and keeps one thread")
    void neverAnswers() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                JmxSource source = JmxSource.ofUrl("127.0.0.1:" + silent.getLocalPort())) {
            for (int i = 0; i < 3; i++) {
                inTime(() -> assertThatThrownBy(() -> source.read(Duration.ofMillis(300)))
                        .isInstanceOf(SourceFailure.class)
                        .hasMessageContaining("127.0.0.1:" + silent.getLocalPort())
                        .hasMessageContaining("it had not accepted the connection")
                        .hasMessageContaining("-Djava.rmi.server.hostname"));
            }
            assertThat(Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().equals("laneway-observe " + source.name())))
                    .hasSize(1)
                    .allMatch(Thread::isDaemon);
        }
    }

    private static void inTime(Runnable check) {
        long begun = System.nanoTime();
        check.run();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    @DisplayName("B83 A process that is not there, or no JVM, is told; one that is no JVM is left alone")
    void noJvm() throws Exception {
        Process sleeper = new ProcessBuilder("sleep", "60").start();
        try (JmxSource source = JmxSource.ofPid(sleeper.pid())) {
            assertThatThrownBy(() -> source.read(LIMIT))
                    .isInstanceOf(SourceFailure.class)
                    .hasMessageContaining("pid " + sleeper.pid() + " cannot be read by JMX")
                    .hasMessageContaining("run this as the user that runs process " + sleeper.pid());
            assertThat(sleeper.isAlive()).isTrue();
        } finally {
            sleeper.destroyForcibly();
            sleeper.onExit().join();
        }
        try (JmxSource source = JmxSource.ofPid(sleeper.pid())) {
            assertThatThrownBy(() -> source.read(LIMIT))
                    .isInstanceOf(SourceFailure.class)
                    .hasMessage("pid " + sleeper.pid()
                            + " is no process of this machine: give the pid of a JVM, as jps lists them");
        }
    }

    @Test
    @DisplayName("B83 A URL that is none is refused in one sentence")
    void malformedUrls() {
        for (String url :
                new String[] {"", "host", "host:", "http://host:1", "service:jmx:", "service:jmx:x y://", "a:b:1"}) {
            assertThatThrownBy(() -> JmxSource.ofUrl(url))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("JMX URL '" + url + "'")
                    .hasMessageContaining("give ");
        }
    }
}
