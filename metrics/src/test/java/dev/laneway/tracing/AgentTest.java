package dev.laneway.tracing;

import static dev.laneway.tracing.TracedTopic.parent;
import static dev.laneway.tracing.TracedTopic.trace;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** OpenTelemetry's own Java agent in a JVM with consumers: what it traces of a loop, and of Laneway. */
class AgentTest {
    private static final Path AGENT = Path.of("target/agents/opentelemetry-javaagent.jar");
    private static final int CONSUMER = 5;
    private static final int PRODUCER = 4;
    private static final int SHARE = 4;
    private static final long LIMIT_SECONDS = 300;

    private record Exported(String trace, String span, String parent, String name, int kind, String scope) {}

    /** Whether a record is of the key that is held up where one is. */
    static boolean isStuck(long offset) {
        return offset % SHARE == 0;
    }

    static int stuck(int records) {
        return (records + SHARE - 1) / SHARE;
    }

    @Test
    @DisplayName("B173 B171 beside OpenTelemetry's agent a handler has the trace a loop's has, and no span is doubled")
    void besideTheAgent(@TempDir Path folder) throws Exception {
        Map<String, TracedTopic> topics = new LinkedHashMap<>();
        for (String mode : List.of("bare", "plain", "keyed", "batch", "traced", "letters")) {
            topics.put(mode, TracedTopic.of(50));
        }
        topics.put("stuck", TracedTopic.of(8_000, i -> isStuck(i) ? "stuck" : "key-" + i));
        String letters = topics.get("letters").other(".dlq");

        List<Exported> spans = run(folder, topics);
        topics.forEach((mode, topic) -> assertTraced(mode, topic, spans));

        // The scope says whose spans these are.
        assertThat(consumed(topics.get("plain"), spans)).allMatch(span -> span.scope.contains("kafka-clients"));
        assertThat(consumed(topics.get("traced"), spans)).allMatch(span -> span.scope.equals("dev.laneway"));
        // The agent sends, below our attempt, and its span is what the dead letter names.
        List<Exported> attempts = consumed(topics.get("letters"), spans);
        List<Exported> sends = spans.stream()
                .filter(span -> span.kind == PRODUCER && span.name.contains(letters))
                .sorted(Comparator.comparing(Exported::trace))
                .toList();
        assertThat(sends).hasSize(50).allMatch(span -> span.scope.contains("kafka-clients"));
        assertThat(sends)
                .extracting(Exported::parent)
                .containsExactlyElementsOf(attempts.stream().map(Exported::span).toList());
        for (ConsumerRecord<byte[], byte[]> letter : topics.get("letters").read(letters, 50)) {
            int of = Integer.parseInt(new String(letter.value(), UTF_8));
            assertThat(new String(letter.headers().lastHeader("traceparent").value(), UTF_8))
                    .isEqualTo("00-" + trace(of) + "-" + sends.get(of).span + "-01");
        }
    }

    private static List<Exported> consumed(TracedTopic topic, List<Exported> spans) {
        return spans.stream()
                .filter(span -> span.kind == CONSUMER
                        && List.of(span.name.split(" ", -1)).contains(topic.name))
                .sorted(Comparator.comparing(Exported::trace))
                .toList();
    }

    /** Each record has one span below its sender's, and its handler's span is below that. */
    private static void assertTraced(String mode, TracedTopic topic, List<Exported> spans) {
        List<Exported> attempts = consumed(topic, spans);
        List<Exported> handled = spans.stream()
                .filter(span -> span.name.equals("handled " + topic.name))
                .sorted(Comparator.comparing(Exported::trace))
                .toList();
        assertThat(handled).as(mode).hasSize(topic.records);
        assertThat(attempts).as(mode).hasSize(topic.records);
        for (int i = 0; i < topic.records; i++) {
            Exported attempt = attempts.get(i);
            assertThat(attempt.trace).as(mode).isEqualTo(trace(i));
            assertThat(attempt.parent).as(mode).isEqualTo(parent(i));
            assertThat(handled.get(i).trace).as(mode).isEqualTo(trace(i));
            assertThat(handled.get(i).parent).as(mode).isEqualTo(attempt.span);
        }
    }

    /** Runs the program beside the agent, which exports each span as JSON. */
    private static List<Exported> run(Path folder, Map<String, TracedTopic> topics) throws Exception {
        Path out = folder.resolve("out");
        Path errors = folder.resolve("errors");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-javaagent:" + AGENT.toAbsolutePath(),
                "-Dotel.service.name=shop",
                "-Dotel.traces.exporter=experimental-otlp/stdout",
                "-Dotel.metrics.exporter=none",
                "-Dotel.logs.exporter=none",
                "-Dotel.bsp.max.queue.size=100000",
                "-cp",
                System.getProperty("java.class.path"),
                AgentProgram.class.getName()));
        command.add(topics.values().iterator().next().kafka.bootstrapServers());
        topics.forEach((mode, topic) -> command.add(mode + ":" + topic.name + ":" + topic.records));
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(errors.toFile())
                .start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as(Files.readString(errors))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
        return parsed(out);
    }

    private static List<Exported> parsed(Path out) throws IOException {
        List<Exported> all = new ArrayList<>();
        ObjectMapper mapper = new ObjectMapper();
        for (String line : Files.readAllLines(out)) {
            if (!line.startsWith("{")) {
                continue; // A log.
            }
            for (JsonNode resource : mapper.readTree(line).path("resourceSpans")) {
                for (JsonNode scope : resource.path("scopeSpans")) {
                    for (JsonNode span : scope.path("spans")) {
                        all.add(new Exported(
                                span.path("traceId").asText(),
                                span.path("spanId").asText(),
                                span.path("parentSpanId").asText(),
                                span.path("name").asText(),
                                span.path("kind").asInt(),
                                scope.path("scope").path("name").asText()));
                    }
                }
            }
        }
        return all;
    }
}
