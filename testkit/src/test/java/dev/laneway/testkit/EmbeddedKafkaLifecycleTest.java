package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(120)
@DisplayName("EmbeddedKafka, its life")
@Execution(ExecutionMode.CONCURRENT) // Each test has a cluster of its own.
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
    @DisplayName("a kill cuts a connection too that the broker was about to accept")
    void killWhileAccepting() throws IOException {
        List<Socket> connections = new ArrayList<>();
        try (EmbeddedKafka kafka =
                EmbeddedKafka.builder().property("max.connections", "20").start()) {
            for (int i = 0; i < 25; i++) {
                connections.add(connect(kafka.bootstrapServers()));
            }
            await().atMost(READY).until(() -> acceptorWaits(kafka.bootstrapServers()));
            kafka.kill(1);
            for (Socket connection : connections) {
                assertThat(isCut(connection)).isTrue();
            }
        } finally {
            for (Socket connection : connections) {
                connection.close();
            }
        }
    }

    /** Whether a broker has accepted one connection more than it serves, which it does before it counts them. */
    private static boolean acceptorWaits(String server) {
        String name = "socket-acceptor-CLIENT-PLAINTEXT"
                + server.substring(server.indexOf(':')).replace(':', '-');
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().endsWith(name))
                .flatMap(thread -> Stream.of(thread.getValue()))
                .anyMatch(frame -> frame.getMethodName().equals("waitForConnectionSlot"));
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
}
