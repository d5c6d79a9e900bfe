package dev.laneway.issues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.FailurePolicy;
import dev.laneway.Laneway;
import dev.laneway.LanewayException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM that is ending accepts no shutdown hook, and the start threw without closing its clients. */
class StartWhileTheProcessEndsTest {
    @TempDir
    private Path directory;

    @Test
    @DisplayName("B55 B58 a start while the process ends is refused in words, and leaves no client open")
    void isRefused() throws Exception {
        Path out = directory.resolve("out");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Ending.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(out, StandardCharsets.UTF_8).lines())
                .contains(
                        "closeOnShutdown is true but the process is ending already: start no consumer then, or set it"
                                + " to false and close the consumer yourself",
                        "consumers closed: [true, true], producers closed: [true, true]",
                        "without the hook: CLOSED");
    }

    /** A program that starts a consumer when it is told to end. */
    static final class Ending {
        private final List<MockConsumer<byte[], byte[]>> consumers = new ArrayList<>();
        private final List<MockProducer<byte[], byte[]>> producers = new ArrayList<>();

        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(new Ending()::end));
            System.exit(0);
        }

        private void end() {
            try {
                start(true).close();
            } catch (LanewayException refused) {
                System.out.println(refused.getMessage());
            } catch (IllegalStateException unexplained) {
                System.out.println("unexplained: " + unexplained);
            }
            System.out.println("consumers closed: "
                    + consumers.stream().map(MockConsumer::closed).toList() + ", producers closed: "
                    + producers.stream().map(MockProducer::closed).toList());
            Laneway second = start(false);
            second.close();
            System.out.println("without the hook: " + second.state());
        }

        private Laneway start(boolean closeOnShutdown) {
            return Laneway.consumer(
                            Map.of("group.id", "g", "enable.auto.commit", "false", "bootstrap.servers", "127.0.0.1:1"),
                            () -> {
                                consumers.add(new MockConsumer<>("earliest"));
                                return consumers.getLast();
                            })
                    .producer(() -> {
                        producers.add(
                                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()));
                        return producers.getLast();
                    })
                    .subscribe("topic")
                    .consumers(2)
                    .closeOnShutdown(closeOnShutdown)
                    .onFailure(FailurePolicy.deadLetter("letters"))
                    .process(record -> {});
        }
    }
}
