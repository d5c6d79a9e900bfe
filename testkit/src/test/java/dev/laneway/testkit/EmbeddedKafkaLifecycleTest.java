package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@DisplayName("EmbeddedKafka, its life")
class EmbeddedKafkaLifecycleTest {

    private static final Duration READY = Duration.ofSeconds(30);
    private static final TopicPartition LOG = new TopicPartition("log", 0);

    @Test
    @DisplayName("stop and start: refused while down, then same port, same records, same group offsets")
    void stopAndStart() throws IOException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            kafka.createTopic("log", 1);
            kafka.produce("log", "k", "before");
            commit(kafka, "group", 1);
            String servers = kafka.bootstrapServers();

            kafka.stop(1);
            assertThat(kafka.isRunning(1)).isFalse();
            assertThatThrownBy(() -> connect(servers)).isInstanceOf(ConnectException.class);
            assertThatThrownBy(() -> kafka.stop(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("start(1)");
            assertThatThrownBy(() -> kafka.kill(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("start(1)");

            kafka.start(1);
            kafka.awaitReady(READY);
            assertThat(kafka.bootstrapServers()).isEqualTo(servers);
            connect(servers).close();
            assertThat(kafka.endOffsets("log")).containsEntry(LOG, 1L);
            assertThat(kafka.committed("group").get(LOG).offset()).isEqualTo(1);
            assertThat(kafka.produce("log", "k", "after").offset()).isEqualTo(1);
            assertThatThrownBy(() -> kafka.start(1))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("running");
        }
    }

    @Test
    @DisplayName("a graceful stop leaves the clean marker; a kill leaves none, and keeps the records")
    void stopIsCleanKillIsNot() throws IOException {
        try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
            Path marker = kafka.directory().resolve("node-1").resolve(".kafka_cleanshutdown");
            kafka.createTopic("log", 1);
            kafka.restart(1);
            kafka.awaitReady(READY);
            kafka.produce("log", "k", "before");
            commit(kafka, "group", 1);

            kafka.stop(1);
            assertThat(marker).exists();
            kafka.start(1);
            try (Socket connection = connect(kafka.bootstrapServers())) {
                kafka.kill(1);
                assertThat(isCut(connection)).isTrue();
            }
            assertThat(marker).doesNotExist();

            kafka.start(1);
            kafka.awaitReady(READY);
            assertThat(kafka.endOffsets("log")).containsEntry(LOG, 1L);
            assertThat(kafka.committed("group").get(LOG).offset()).isEqualTo(1);
            assertThat(kafka.produce("log", "k", "after").offset()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("clusters in one JVM do not know of each other")
    void twoClusters() {
        try (EmbeddedKafka one = EmbeddedKafka.start();
                EmbeddedKafka two = EmbeddedKafka.start()) {
            one.createTopic("log", 1);
            two.createTopic("log", 1);
            one.produce("log", "k", "only here");

            assertThat(one.clusterId()).isNotEqualTo(two.clusterId());
            assertThat(one.endOffsets("log")).containsEntry(LOG, 1L);
            assertThat(two.endOffsets("log")).containsEntry(LOG, 0L);
            one.stop(1);
            assertThat(two.produce("log", "k", "unmoved").offset()).isZero();
        }
    }

    @Test
    @DisplayName("a chosen port is used; a taken one is refused with a remedy and nothing is left behind")
    void chosenPort() throws IOException {
        int port;
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(Port.loopback(0));
            port = taken.getLocalPort();
            Set<String> before = threads();
            assertThatThrownBy(() ->
                            EmbeddedKafka.builder().port(taken.getLocalPort()).start())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("port " + port)
                    .hasMessageContaining("choose another port");
            assertThat(threads()).isSubsetOf(before);
        }
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().port(port).start()) {
            assertThat(kafka.bootstrapServers()).isEqualTo("127.0.0.1:" + port);
            connect(kafka.bootstrapServers()).close();
        }
    }

    @Test
    @DisplayName("a temporary directory is deleted on close, and no thread is left")
    void closeLeavesNothing() {
        Set<String> before = threads();
        EmbeddedKafka kafka = EmbeddedKafka.start();
        kafka.createTopic("log", 3);
        kafka.produce("log", "k", "v");
        commit(kafka, "group", 1);
        Path directory = kafka.directory();
        assertThat(directory.resolve("node-1").resolve("log-0")).isDirectory();

        kafka.close();
        kafka.close();

        assertThat(directory).doesNotExist();
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(threads()).isSubsetOf(before));
    }

    @Test
    @DisplayName("a chosen directory is kept on close, and its cluster goes on with it")
    void chosenDirectory(@TempDir Path temp) {
        Path directory = temp.resolve("cluster");
        String clusterId;
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().directory(directory).start()) {
            clusterId = kafka.clusterId();
            kafka.createTopic("log", 1);
            kafka.produce("log", "k", "v");
            commit(kafka, "group", 1);
        }
        assertThat(directory.resolve("node-1").resolve(".kafka_cleanshutdown")).exists();

        assertThatThrownBy(() ->
                        EmbeddedKafka.builder().directory(directory).nodes(2).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nodes(1)");
        try (EmbeddedKafka kafka = EmbeddedKafka.builder().directory(directory).start()) {
            assertThat(kafka.clusterId()).isEqualTo(clusterId);
            assertThat(kafka.endOffsets("log")).containsEntry(LOG, 1L);
            assertThat(kafka.committed("group").get(LOG).offset()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a server property that Kafka refuses fails the start and is named")
    void refusedProperty() {
        assertThatThrownBy(() -> EmbeddedKafka.builder()
                        .property("num.io.threads", "many")
                        .start())
                .hasMessageContaining("num.io.threads");
    }

    @Test
    @DisplayName("a start that fails when the controller is up already leaves nothing behind")
    void failedStart() {
        Set<String> before = threads();
        assertThatThrownBy(() -> EmbeddedKafka.builder()
                        .property("remote.log.storage.system.enable", "true")
                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("node 1 did not start");
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(threads()).isSubsetOf(before));
    }

    @Test
    @DisplayName("nothing is written to the standard streams")
    void quiet() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        PrintStream out = System.out;
        PrintStream err = System.err;
        try (PrintStream capture = new PrintStream(written, true, StandardCharsets.UTF_8)) {
            System.setOut(capture);
            System.setErr(capture);
            try (EmbeddedKafka kafka = EmbeddedKafka.start()) {
                kafka.createTopic("log", 1);
                kafka.produce("log", "k", "v");
            }
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        assertThat(written.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    private static void commit(EmbeddedKafka kafka, String group, long offset) {
        Await.get(
                "committing",
                kafka.admin()
                        .alterConsumerGroupOffsets(group, Map.of(LOG, new OffsetAndMetadata(offset)))
                        .all());
    }

    /** The end of the stream, or a reset when the broker had not yet accepted the connection. */
    private static boolean isCut(Socket connection) throws IOException {
        connection.setSoTimeout(100);
        try {
            return connection.getInputStream().read() == -1;
        } catch (SocketException e) {
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    private static Socket connect(String server) throws IOException {
        Socket socket = new Socket();
        try {
            int port = Integer.parseInt(server.substring(server.indexOf(':') + 1));
            socket.connect(Port.loopback(port), 1_000);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Kafka's metrics library has one pair of threads for the JVM, which stay; Awaitility's are the test's own. */
    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(thread -> thread.getName() + "#" + thread.threadId())
                .filter(name -> !name.startsWith("metrics-meter-tick-thread") && !name.startsWith("awaitility-thread"))
                .collect(Collectors.toSet());
    }
}
