package dev.laneway.cli;

import dev.laneway.cli.program.Jvm;
import dev.laneway.cli.program.Text;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.workload.ParallelRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * The members of the exactly-once demo, each a process that runs {@code consume --exactly-once} with its own
 * transactional id. A killed process is replaced by another one with the same id, which ends the transaction that was
 * left open. Used by one thread.
 */
final class CopyProcesses implements AutoCloseable {
    private static final List<String> JVM_OPTIONS = List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:-UsePerfData");
    private static final Duration END_LIMIT = Duration.ofSeconds(60);

    private final ExactlyOnceDemo.Setup setup;
    private final Path directory;
    private final Path config;
    private final List<Jvm> processes = new ArrayList<>();

    /** Writes their properties; {@link #start()} starts them. */
    CopyProcesses(ExactlyOnceDemo.Setup setup, Map<String, Object> kafkaConfig) {
        this.setup = setup;
        try {
            // Only its owner may read it, since the properties may hold passwords.
            this.directory = Files.createTempDirectory("laneway-demo-");
            this.config = directory.resolve("kafka.properties");
            Properties properties = new Properties();
            kafkaConfig.forEach((name, value) -> properties.setProperty(name, String.valueOf(value)));
            try (Writer writer = Files.newBufferedWriter(config)) {
                properties.store(writer, null);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot write to the temporary directory", failed);
        }
    }

    /** Starts all of them. */
    void start() {
        for (int place = 0; place < setup.members(); place++) {
            processes.add(start(place));
        }
    }

    private Jvm start(int place) {
        ParallelRun.Setup run = setup.run();
        List<String> verb = List.of(
                "consume",
                "--config",
                config.toString(),
                "--topic",
                run.topic(),
                "--to",
                setup.copies(),
                "--group",
                run.group(),
                "--name",
                "member-" + (place + 1),
                "--exactly-once",
                run.group() + "-" + (place + 1),
                "--ordering",
                DemoResult.name(run.ordering()),
                "--concurrency",
                Integer.toString(Math.max(run.consumers(), run.concurrency() / setup.members())),
                "--consumers",
                Integer.toString(run.consumers()),
                "--work",
                run.work().toNanos() / 1_000 + "us",
                "--until-input-ends");
        return Jvm.start(Main.class, JVM_OPTIONS, verb, log(place));
    }

    private Path log(int place) {
        return directory.resolve("member-" + (place + 1) + ".log");
    }

    /** Kills a process (kill -9) and starts another one with its id. */
    void replace(int place) throws InterruptedException {
        Jvm victim = processes.get(place);
        victim.kill();
        victim.await(END_LIMIT);
        processes.set(place, start(place));
    }

    /** Fails if one has ended by itself. */
    void check() {
        for (int place = 0; place < processes.size(); place++) {
            Jvm process = processes.get(place);
            if (!process.isAlive()) {
                throw new VerbFailure("member " + (place + 1) + " ended with exit code " + process.exitCode() + ": "
                        + process.lastWords());
            }
        }
    }

    /** The last lines of the members' output. */
    String lastWords() {
        return String.join(
                System.lineSeparator(), processes.stream().map(Jvm::lastWords).toList());
    }

    /** Asks all to end cleanly, and waits for it; fails if one does not. */
    void end() throws InterruptedException {
        processes.forEach(Jvm::terminate);
        for (Jvm process : processes) {
            if (!process.await(END_LIMIT)) {
                throw new VerbFailure(
                        "a member did not end within " + Text.duration(END_LIMIT) + ": " + process.lastWords());
            }
            if (!process.endedAsAsked()) {
                throw new VerbFailure("a member ended with exit code " + process.exitCode()
                        + " when it was asked to end: " + process.lastWords());
            }
        }
    }

    /** Kills what still runs, and deletes what was written. */
    @Override
    public void close() {
        processes.forEach(Jvm::kill);
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (IOException failed) {
            throw new UncheckedIOException(directory + " cannot be deleted", failed);
        }
    }
}
