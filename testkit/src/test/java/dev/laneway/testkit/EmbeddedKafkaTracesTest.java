package dev.laneway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.yammer.metrics.core.MetricName;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

@Timeout(120)
@Isolated // It looks at the threads and at the standard streams of this JVM, and gives a port away for a moment.
@DisplayName("EmbeddedKafka, its traces")
class EmbeddedKafkaTracesTest {

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
            kafka.createTopic("log", 1);
        }
    }

    @Test
    @DisplayName("a temporary directory is deleted on close, and no thread is left")
    void closeLeavesNothing() {
        Set<String> before = threads();
        EmbeddedKafka kafka = EmbeddedKafka.start();
        kafka.createTopic("log", 3);
        kafka.produce("log", "k", "v");
        Path directory = kafka.directory();
        assertThat(directory.resolve("node-1").resolve("log-0")).isDirectory();

        kafka.close();
        kafka.close();

        assertThat(directory).doesNotExist();
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(threads()).isSubsetOf(before));
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
    @DisplayName("no metric of a broker that has ended is left that would keep it in memory")
    void closeLeavesNoMetric() {
        EmbeddedKafka kafka = EmbeddedKafka.start();
        String directory = kafka.directory().toString();
        assertThat(metrics()).anyMatch(name -> name.contains(directory));

        kafka.close();

        assertThat(metrics()).noneMatch(name -> name.contains(directory));
    }

    private static List<String> metrics() {
        return KafkaYammerMetrics.defaultRegistry().allMetrics().keySet().stream()
                .map(MetricName::getMBeanName)
                .toList();
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

    /** Kafka's metrics library has one pair of threads for the JVM, which stay; Awaitility's are the test's own. */
    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(thread -> thread.getName() + "#" + thread.threadId())
                .filter(name -> !name.startsWith("metrics-meter-tick-thread") && !name.startsWith("awaitility-thread"))
                .collect(Collectors.toSet());
    }
}
