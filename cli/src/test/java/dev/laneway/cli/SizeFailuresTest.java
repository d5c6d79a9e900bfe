package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Stop;
import dev.laneway.testkit.EmbeddedKafka;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What can go wrong in a sizing: each is one sentence, and no process stays. */
class SizeFailuresTest {
    private final EmbeddedKafka kafka = EmbeddedKafka.shared();
    private final String name = "size-" + UUID.randomUUID();

    @BeforeEach
    void create() {
        kafka.createTopic(name, 4);
    }

    private Cli size(String topic, String... command) {
        return size(new Stop(), topic, command);
    }

    private Cli size(Stop stop, String topic, String... command) {
        List<String> args = new ArrayList<>(List.of(
                "size",
                "--bootstrap",
                kafka.bootstrapServers(),
                "--group",
                name,
                "--topic",
                topic,
                "--join-limit",
                "2s",
                "--profile",
                System.getProperty("java.io.tmpdir") + "/" + name + ".json",
                "--"));
        args.addAll(List.of(command));
        return Cli.run(stop, args.toArray(String[]::new));
    }

    private static void failed(Cli cli, String... words) {
        assertThat(cli.code()).as(cli.err()).isEqualTo(Program.FAILED);
        assertThat(cli.err().lines().filter(line -> line.startsWith("laneway: ")))
                .singleElement()
                .asString()
                .contains(words);
    }

    @Test
    @DisplayName("B185 a command that ends is told with its exit code and its last words; its output is kept")
    void dies() throws Exception {
        Cli cli = size(name, "/bin/sh", "-c", "echo begins; echo no such database; exit 3");
        failed(cli, "instance 1 ended with exit code 3", "no such database", "instance-1.log");
        String file = cli.err().replaceAll("(?s).*output is in (\\S+)\\s.*", "$1");
        assertThat(Files.readString(Path.of(file))).contains("begins");
    }

    @Test
    @DisplayName("B185 a command that is not there is told")
    void notFound() {
        failed(size(name, "/no/such/command"), "exit code 127", "not found");
    }

    @Test
    @DisplayName("B185 a command that never joins the group is told and ended; another group of the topic is named")
    void neverJoins() {
        String marked = "97531." + (name.hashCode() >>> 1);
        failed(size(name, "sleep", marked), "no instance joined group " + name, "does the command read this cluster");
        assertThat(sleeping(marked)).isZero();
        String other = name + "-other";
        try (KafkaConsumer<byte[], byte[]> member = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", other),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            member.subscribe(List.of(name));
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                member.poll(Duration.ofMillis(200));
                return member.assignment().size() == 4;
            });
            failed(size(name, "sleep", marked), "has members of group " + other, "give --group as the command does");
        }
    }

    @Test
    @DisplayName("B185 a group that runs already is refused")
    void runs() {
        try (KafkaConsumer<byte[], byte[]> member = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers(), "group.id", name),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            member.subscribe(List.of(name));
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                member.poll(Duration.ofMillis(200));
                return member.assignment().size() == 4;
            });
            failed(size(name, "sleep", "1"), "has a member already", "give another --group");
        }
    }

    @Test
    @DisplayName("B185 a missing topic, and one with fewer partitions than instances, are refused")
    void topics() {
        failed(size(name + "-missing", "sleep", "1"), "does not exist: create it");
        kafka.createTopic(name + "-one", 1);
        failed(size(name + "-one", "sleep", "1"), "has 1 partitions for 2 instances");
    }

    @Test
    @DisplayName("B185 Ctrl-C ends the instances and what they have started")
    void stops() throws Exception {
        Stop stop = new Stop();
        String marked = "86420." + (name.hashCode() >>> 1);
        CompletableFuture<Cli> running = CompletableFuture.supplyAsync(() -> {
            List<String> args = List.of(
                    "size",
                    "--bootstrap",
                    kafka.bootstrapServers(),
                    "--group",
                    name,
                    "--topic",
                    name,
                    "--profile",
                    System.getProperty("java.io.tmpdir") + "/" + name + ".json",
                    "--",
                    "/bin/sh",
                    "-c",
                    "sleep " + marked + "; echo over");
            return Cli.run(stop, args.toArray(String[]::new));
        });
        await().atMost(60, TimeUnit.SECONDS).until(() -> sleeping(marked) > 0);
        stop.request();
        failed(running.get(60, TimeUnit.SECONDS), "stopped before the end: no profile was written");
        assertThat(sleeping(marked)).isZero();
    }

    private static long sleeping(String marked) {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").equals("/usr/bin/sleep " + marked)
                        || List.of(each.info().arguments().orElse(new String[0]))
                                .contains(marked))
                .filter(ProcessHandle::isAlive)
                .count();
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("B185 a wrong command line is refused before anything is started")
    @CsvSource(
            delimiter = '|',
            value = {
                "size --group g --topic t -- app | must contain {bootstrap}",
                "size --group g --topic t --bootstrap b:1 | COMMAND",
                "size --group g --topic a,b --bootstrap b:1 -- app | may be several only with --generator",
                "size --group g --topic t --bootstrap b:1 --generator x -- app | must contain {rate}",
                "size --group g --topic t --bootstrap b:1 --window 0 -- app | --window is 0",
                "size --group g --topic t --bootstrap b:1 --instances 0 -- app | --instances is 0"
            })
    void usage(String line, String words) {
        Cli cli = Cli.run(line.split(" "));
        assertThat(cli.code()).as(cli.err()).isEqualTo(Program.USAGE);
        assertThat(cli.err()).contains(words);
    }

    @Test
    @DisplayName("B185 a file that is no profile is refused, and so is one that is broken")
    void profiles(@TempDir Path directory) throws Exception {
        Path broken =
                Files.writeString(directory.resolve("broken.json"), "{\"format\":\"laneway-size\",\"version\":1}");
        assertThat(Cli.run("plan", "--rate", "1", "--from-run", broken.toString())
                        .err())
                .contains("is a profile that cannot be read");
        Path newer = Files.writeString(directory.resolve("newer.json"), "{\"format\":\"laneway-size\",\"version\":2}");
        assertThat(Cli.run("plan", "--rate", "1", "--from-run", newer.toString())
                        .err())
                .contains("of version 2");
        Path other = Files.writeString(directory.resolve("other.json"), "[]");
        assertThat(Cli.run("simulate", "--rate", "1", "--from-run", other.toString())
                        .err())
                .contains("must be a profile");
    }
}
