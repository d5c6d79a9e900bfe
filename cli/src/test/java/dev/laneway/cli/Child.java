package dev.laneway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A verb in a JVM of its own, as the launcher starts it, so that it can be sent signals. */
final class Child implements AutoCloseable {
    private static final long LIMIT_SECONDS = 60;

    private final Process process;
    private final Path out;
    private final Path err;

    private Child(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    static Child start(Path directory, String... args) throws IOException {
        return start(directory, Files.createTempFile(directory, args[0], ".out"), List.of(), args);
    }

    /** As {@link #start(Path, String...)}, with options for its JVM, and with standard output to this file. */
    static Child start(Path directory, Path out, List<String> jvm, String... args) throws IOException {
        Path err = Files.createTempFile(directory, args[0], ".err");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC", // It lives for seconds: starting is most of what it costs.
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(1, jvm);
        command.addAll(List.of(args));
        return new Child(
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start(),
                out,
                err);
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** kill -9. */
    void kill() {
        process.destroyForcibly();
    }

    /** Waits for the end; returns the exit code. */
    int await() throws InterruptedException {
        assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                .as("the process ends; it said: %s %s", out(), err())
                .isTrue();
        return process.exitValue();
    }

    /** The processes that it has started. */
    List<ProcessHandle> descendants() {
        return process.descendants().toList();
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String out() {
        return read(out);
    }

    String err() {
        return read(err);
    }

    private static String read(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.readString(file) : ""; // A device has no end.
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join(); // Or it would write while the test's directory goes.
    }
}
