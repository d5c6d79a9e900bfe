package dev.laneway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.laneway.engine.offsets.DecodedMetadata;
import dev.laneway.engine.offsets.OffsetMap;
import dev.laneway.testkit.KafkaCluster;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members of version 0.1, which knows no spilled keys, and of this one in the same group, one replaced by the other
 * beside a stuck key. The sources of 0.1 come out of git and are compiled here: {@code -Dlaneway.former} names their
 * commit. Runs with {@code ./laneway test --long}.
 */
@EnabledIfSystemProperty(named = "laneway.former", matches = "[0-9a-f]+")
@Timeout(300)
@DisplayName("A rolling upgrade from 0.1, and back")
class RollingUpgradeTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int PARTITIONS = 3;
    private static final int KEYS = 300;
    /** One in so many records is of the stuck key. */
    private static final int STUCK_EVERY = 10;

    @TempDir
    private Path directory;

    private final KafkaCluster kafka = SharedKafka.get();
    private final String topic = "rolling-" + UUID.randomUUID();
    private final Process[] members = new Process[2];
    private int written;
    private int started;

    @Test
    @DisplayName("B97 B2 an upgrade repeats nothing; the way back, and another upgrade, lose nothing")
    void upgrade() throws Exception {
        String own = System.getProperty("java.class.path");
        String former = former(own);
        kafka.createTopic(topic, PARTITIONS);
        Files.createFile(directory.resolve("stuck"));
        start(0, former, 0);
        start(1, former, 0);
        write(6_000);
        awaitOthers();

        replace(0, own, 100);
        write(1_500);
        awaitOthers();
        replace(1, own, 100);
        write(3_000);
        awaitOthers();
        await("a map that 0.1 does not know")
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(kafka.committed(topic).entrySet())
                        .extracting(entry -> OffsetMap.decode(
                                entry.getKey(),
                                entry.getValue().offset(),
                                entry.getValue().metadata()))
                        .anyMatch(found -> found instanceof DecodedMetadata.Map map
                                && !map.keys().isEmpty()));
        assertThat(notes()).as("handled once, by members of both versions").doesNotHaveDuplicates();

        replace(0, former, 0);
        replace(1, former, 0);
        write(1_000);
        awaitOthers();

        replace(0, own, 100);
        replace(1, own, 100);
        Files.delete(directory.resolve("stuck"));
        await().atMost(LIMIT).untilAsserted(() -> assertThat(handled()).hasSize(written));
        await().atMost(LIMIT)
                .until(() -> kafka.endOffsets(topic).entrySet().stream()
                        .allMatch(
                                end -> kafka.committed(topic).get(end.getKey()).offset() == end.getValue()));
    }

    @AfterEach
    void end() {
        for (Process member : members) {
            if (member != null) {
                member.destroyForcibly();
            }
        }
    }

    /** Compiles version 0.1; returns the class path of its members. */
    private String former(String own) throws Exception {
        Path sources = Files.createDirectory(directory.resolve("former"));
        Path archive = directory.resolve("former.tar");
        run("git", "archive", "-o", archive.toString(), System.getProperty("laneway.former"), "core/src/main/java");
        run("tar", "-xf", archive.toString(), "-C", sources.toString());
        String libraries = Stream.of(own.split(File.pathSeparator))
                .filter(entry -> !entry.endsWith("core" + File.separator + "target" + File.separator + "classes"))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> javac = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "javac").toString(),
                "-nowarn",
                "-proc:none",
                "-cp",
                libraries,
                "-d",
                directory.resolve("classes").toString()));
        try (Stream<Path> files = Files.walk(sources)) {
            files.map(Path::toString)
                    .filter(file -> file.endsWith(".java") && !file.endsWith("module-info.java"))
                    .forEach(javac::add);
        }
        run(javac.toArray(String[]::new));
        return directory.resolve("classes") + File.pathSeparator + libraries;
    }

    private void run(String... command) throws IOException, InterruptedException {
        Path said = directory.resolve("said");
        Process process = new ProcessBuilder(command)
                .directory(new File("..").getCanonicalFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(said)).isZero();
    }

    private void start(int member, String classPath, int bufferRecords) throws IOException {
        members[member] = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        RollingMember.class.getName(),
                        kafka.bootstrapServers(),
                        topic,
                        topic,
                        directory.resolve("notes").toString(),
                        directory.resolve("stuck").toString(),
                        Integer.toString(bufferRecords))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("member-" + started++).toFile())
                .start();
    }

    private void replace(int member, String classPath, int bufferRecords) throws Exception {
        members[member].destroy();
        assertThat(members[member].waitFor(30, TimeUnit.SECONDS)).isTrue();
        start(member, classPath, bufferRecords);
    }

    private void write(int records) {
        kafka.produce(IntStream.range(written, written + records)
                .mapToObj(i -> new ProducerRecord<>(
                        topic,
                        (i % STUCK_EVERY == 0 ? RollingMember.STUCK_KEY : "other-" + i % KEYS).getBytes(UTF_8),
                        Integer.toString(i).getBytes(UTF_8)))
                .toList());
        written += records;
    }

    /** Waits until the records of all other keys are handled. */
    private void awaitOthers() {
        await().atMost(LIMIT).untilAsserted(() -> assertThat(handled()).hasSize(written - written / STUCK_EVERY));
    }

    private List<String> notes() throws IOException {
        Path notes = directory.resolve("notes");
        return Files.exists(notes) ? Files.readAllLines(notes) : List.of();
    }

    private Set<String> handled() throws IOException {
        return new HashSet<>(notes());
    }
}
