package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UiTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Path BROWSER =
            Path.of("..", "dashboard", "target", "browser").toAbsolutePath();
    private static final Pattern URL = Pattern.compile("Open (http://localhost:[0-9]+/)");

    @TempDir
    Path directory;

    private static String url(Child child) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> URL.matcher(child.out()).find() || !child.isAlive());
        Matcher matcher = URL.matcher(child.out());
        assertThat(matcher.find()).as(child.out() + child.err()).isTrue();
        return matcher.group(1);
    }

    private static JsonNode frame(String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + "frame")).build();
        return new ObjectMapper()
                .readTree(HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.ofString())
                        .body());
    }

    @Test
    @DisplayName("B157 ui shows a group without a member by lag and the verdict of check, and creates nothing")
    void group() throws Exception {
        String topic = "ui-" + UUID.randomUUID();
        KAFKA.createTopic(topic, 2);
        KAFKA.produce(List.of(new ProducerRecord<>(topic, 1, null, new byte[1])));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()));
                Child child = start(admin, topic, "ui", "--bootstrap", KAFKA.bootstrapServers(), "--group", topic)) {
            String url = url(child);
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                JsonNode frame = frame(url);
                assertThat(frame.get("verdict").get("cause").asText()).isEqualTo("NO_MEMBERS");
                assertThat(frame.get("verdict").get("blame").asText()).isEqualTo(topic + "-1");
                assertThat(frame.get("totals").get("lag").asLong()).isEqualTo(1);
                assertThat(frame.get("members")).isEmpty();
                assertThat(frame.get("actions")).isEmpty();
            });
            child.terminate();
            assertThat(child.await()).isZero();
        }
    }

    private Child start(Admin admin, String topic, String... args) throws Exception {
        admin.alterConsumerGroupOffsets(
                        topic,
                        Map.of(
                                new TopicPartition(topic, 0),
                                new OffsetAndMetadata(0),
                                new TopicPartition(topic, 1),
                                new OffsetAndMetadata(0)))
                .all()
                .get();
        return Child.start(directory, args);
    }

    @Test
    @DisplayName("B157 ui refuses a group that does not exist, a port that is none, and a token that can be guessed")
    void usage() throws Exception {
        assertThat(Cli.run("ui").code()).isEqualTo(Program.USAGE);
        assertThat(Cli.run("ui", "--group", "g", "--port", "70000").code()).isEqualTo(Program.USAGE);
        Cli none = Cli.run("ui", "--group", "none-" + UUID.randomUUID(), "--bootstrap", KAFKA.bootstrapServers());
        assertThat(none.code()).isEqualTo(Program.FAILED);
        assertThat(none.err()).contains("does not exist").doesNotContain("\tat ");
        Path file = Files.writeString(directory.resolve("token"), "short");
        Cli guessed = Cli.run("ui", "--group", "g", "--token-file", file.toString());
        assertThat(guessed.code()).isEqualTo(Program.USAGE);
        assertThat(guessed.err()).contains("at least 16").doesNotContain("short,");
        assertThat(Cli.run("demo", "--ui", "--exactly-once").code()).isEqualTo(Program.USAGE);
    }

    @Test
    @DisplayName("B160 demo --ui prints the address of a page on which the figures of the running demo move")
    void demo() throws Exception {
        assumeThat(BROWSER.resolve("page.mjs"))
                .as("run dashboard/src/test/browser/install first")
                .exists();
        try (Child child = Child.start(
                directory,
                "demo",
                "--ui",
                "--bootstrap",
                KAFKA.bootstrapServers(),
                "--records",
                "40000",
                "--concurrency",
                "40",
                "--sample",
                "1ms")) {
            String url = url(child);
            Path plan = directory.resolve("plan.json");
            new ObjectMapper()
                    .writeValue(
                            plan.toFile(),
                            Map.of(
                                    "out",
                                    directory.toString(),
                                    "pages",
                                    List.of(Map.of("name", "demo", "url", url, "moves", true))));
            Process node = new ProcessBuilder("node", "page.mjs", plan.toString())
                    .directory(BROWSER.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("node.out").toFile())
                    .start();
            assertThat(node.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(node.exitValue())
                    .as(Files.readString(directory.resolve("node.out")))
                    .isZero();
            await().atMost(Duration.ofSeconds(60)).until(() -> child.out().contains("stays until Ctrl-C"));
            child.terminate();
            assertThat(child.await()).as(child.out()).isZero();
        }
    }
}
