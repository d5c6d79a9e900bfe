package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.cli.program.Verb;
import dev.laneway.ops.scale.Decision.Action;
import dev.laneway.ops.scale.DecisionLogReader;
import dev.laneway.ops.scale.LogEntry;
import dev.laneway.testkit.EmbeddedKafka;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real brokers, real processes: a group with more records than one member can do in time. */
class AutoscaleRunTest {
    private static final EmbeddedKafka KAFKA = EmbeddedKafka.shared();
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int RECORDS = 60_000;

    private static final Pattern STARTED = Pattern.compile("member \\d+ is started, process (\\d+)");

    @TempDir
    private Path directory;

    private final List<Autoscaler> autoscalers = new ArrayList<>();
    private final String group = "run-" + UUID.randomUUID();
    private Path log;

    @BeforeEach
    void name() {
        log = directory.resolve("decisions.jsonl");
    }

    /** An autoscaler in a thread of this JVM, whose output can be read while it runs. */
    private final class Autoscaler {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final Stop stop = new Stop();
        private final CompletableFuture<Integer> ended;

        Autoscaler(List<String> options, List<String> command) {
            List<String> line = new ArrayList<>(List.of(
                    "autoscale",
                    "run",
                    "--bootstrap",
                    KAFKA.bootstrapServers(),
                    "--group",
                    group,
                    "--log",
                    log.toString(),
                    "--interval",
                    "1s",
                    "--window",
                    "6s"));
            line.addAll(options);
            line.addAll(command);
            autoscalers.add(this);
            ended = CompletableFuture.supplyAsync(() ->
                    Main.run(new Verb.Streams(Cli.stream(out), Cli.stream(err), stop), line.toArray(String[]::new)));
        }

        String out() {
            return out.toString(StandardCharsets.UTF_8);
        }

        void awaitOut(String text) {
            await().atMost(LIMIT).failFast(ended::isDone).until(() -> out().contains(text));
        }

        void end() {
            stop.request();
            await().atMost(LIMIT).until(ended::isDone);
            assertThat(ended.join()).as(err.toString(StandardCharsets.UTF_8)).isEqualTo(Program.FINE);
        }
    }

    private List<String> member() {
        return List.of(
                "--",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SpinningMember.class.getName(),
                KAFKA.bootstrapServers(),
                group,
                group);
    }

    private List<Long> pids() throws IOException {
        List<Long> pids = new ArrayList<>();
        Path members = Path.of(log + ".members");
        for (int i = 1; i < 5; i++) {
            Path file = members.resolve("member-" + i + ".pid");
            String text = Files.exists(file) ? Files.readString(file).strip() : "";
            if (!text.isEmpty()) {
                pids.add(Long.parseLong(text));
            }
        }
        return pids;
    }

    /** One that was started last may not have written its file yet, and would write it while the directory goes. */
    @AfterEach
    void kill() throws IOException {
        Set<Long> pids = new HashSet<>(pids());
        autoscalers.forEach(each ->
                STARTED.matcher(each.out()).results().forEach(started -> pids.add(Long.parseLong(started.group(1)))));
        for (long pid : pids) {
            ProcessHandle.of(pid).ifPresent(process -> {
                process.destroyForcibly();
                process.onExit().join();
            });
        }
    }

    private void fill() {
        KAFKA.createTopic(group, 4);
        KAFKA.produce(IntStream.range(0, RECORDS)
                .mapToObj(i -> new ProducerRecord<byte[], byte[]>(group, i % 4, null, new byte[1]))
                .toList());
    }

    @Test
    @DisplayName("B191 B193 a group that is behind gets members, which stay, and which the next autoscaler takes over")
    void acts() throws IOException {
        fill();
        List<String> policy = List.of(
                "--mode",
                "act",
                "--set",
                "replicas.max=2",
                "--set",
                "cool.down.seconds=10",
                "--set",
                "stabilization.seconds=2",
                "--set",
                "catch.up.seconds=20",
                "--set",
                "restart.seconds=1");
        Path json = directory.resolve("report.json");
        List<String> reporting = new ArrayList<>(policy);
        reporting.addAll(List.of("--json", json.toString()));
        Autoscaler first = new Autoscaler(reporting, member());
        first.awaitOut("member 1 is started");
        first.awaitOut("UP from 1 to 2");
        first.awaitOut("(starts 1 member)");
        first.awaitOut("member 2 is started");
        first.end();
        List<LogEntry> entries = new DecisionLogReader(log).between(0, Long.MAX_VALUE);
        LogEntry up = entries.stream()
                .filter(entry -> entry.decision().action() == Action.UP)
                .findFirst()
                .orElseThrow();
        assertThat(up.mode()).isEqualTo("act");
        assertThat(up.inputs().busyShare()).isBetween(0.5, 1.0);
        assertThat(up.inputs().cpuShare()).isNotNull();
        assertThat(up.inputs().verdict()).isNotNull();
        assertThat(up.inputs().sources().getFirst().partitions()).isEqualTo(4);
        assertThat(up.inputs().sources().getFirst().processRate()).isBetween(10.0, 250.0);
        await().atMost(LIMIT).until(() -> pids().size() == 2);
        assertThat(pids())
                .allMatch(pid ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent());
        JsonNode report = new ObjectMapper().readTree(json.toFile());
        assertThat(report.get("changes").asInt()).isEqualTo(1);
        Set<String> keys = new LinkedHashSet<>();
        report.fieldNames().forEachRemaining(keys::add);
        assertThat(CliDoc.keys("autoscale run")).containsExactlyElementsOf(keys);

        Path stop = Files.createFile(directory.resolve("stop"));
        List<String> stopped = new ArrayList<>(policy);
        stopped.addAll(List.of("--stop-file", stop.toString()));
        Autoscaler second = new Autoscaler(stopped, member());
        second.awaitOut("takes over 2 members that run");
        ProcessHandle.of(pids().getLast()).orElseThrow().destroyForcibly();
        second.awaitOut("member 2 has ended by itself");
        second.awaitOut("HOLD at 1");
        assertThat(second.out()).doesNotContain("is started");
        Files.delete(stop);
        second.awaitOut("member 2 is started");
        second.end();
    }

    @Test
    @DisplayName(
            "B191 observing a group without members that can be seen, how busy they are is unknown, and it says so")
    void observes() {
        KAFKA.createTopic(group, 1);
        Autoscaler absent = new Autoscaler(List.of("--for", "3s"), List.of());
        await().atMost(LIMIT).until(absent.ended::isDone);
        assertThat(absent.ended.join()).isEqualTo(Program.FINE);
        assertThat(absent.out()).contains("no broker has told of the group yet");
        assertThat(log).as("nothing was measured, so nothing was decided").doesNotExist();
    }

    @Test
    @DisplayName("B195 a log of another group, or one that another autoscaler writes, is refused in one sentence")
    void logs() throws IOException {
        Files.writeString(log, "hello\n");
        Cli none = Cli.run("autoscale", "run", "--group", group, "--log", log.toString());
        assertThat(none.code()).isEqualTo(Program.FAILED);
        assertThat(none.err()).contains("is no decision log").doesNotContain("\tat ");
        Files.delete(log);
        Autoscaler first = new Autoscaler(List.of(), List.of());
        first.awaitOut("no broker has told of the group yet");
        Cli second = Cli.run("autoscale", "run", "--group", group, "--log", log.toString());
        assertThat(second.code()).isEqualTo(Program.FAILED);
        assertThat(second.err()).contains("another autoscaler writes --log").doesNotContain("\tat ");
        first.end();
    }
}
