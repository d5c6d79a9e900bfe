package dev.laneway.cli.program;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A verb in another JVM, so that it can be killed. Its output goes to a file. It watches the pipe to its standard
 * input, so it ends when this process ends. Thread-safe.
 */
public final class Jvm {
    /** The exit code of a JVM that gets SIGTERM before its program handles it: 128 plus the number of the signal. */
    private static final int NOT_BEGUN = 128 + 15;

    private static final int TAIL_LINES = 20;

    private final Process process;
    private final Path output;

    private Jvm(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * The command line of a JVM that runs a verb with the class path of this one. It ignores Ctrl-C, which a terminal
     * sends to it too: this process ends it in time.
     *
     * @param main the program that has the verb
     */
    public static List<String> command(Class<?> main, List<String> jvmOptions, List<String> verb) {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(verb);
        return command;
    }

    /**
     * Starts a verb.
     *
     * @param main the program that has the verb
     * @param output the file that its output is appended to
     */
    public static Jvm start(Class<?> main, List<String> jvmOptions, List<String> verb, Path output) {
        ProcessBuilder builder = new ProcessBuilder(command(main, jvmOptions, verb))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        try {
            return new Jvm(builder.start(), output);
        } catch (IOException failed) {
            throw new VerbFailure(
                    "cannot start a JVM for " + verb.getFirst() + ": " + failed.getMessage()
                            + "; is there enough memory?",
                    failed);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Its exit code; only after it has ended. */
    public int exitCode() {
        return process.exitValue();
    }

    /**
     * Whether a process ended cleanly after it was asked to. A JVM that was still starting ends by the signal or, with
     * JDK 25, says that it cannot start; that counts too.
     */
    public boolean endedAsAsked() {
        return exitCode() == Program.FINE
                || exitCode() == NOT_BEGUN
                || lastWords().contains("Error occurred during initialization of VM");
    }

    /** kill -9. */
    public void kill() {
        process.destroyForcibly();
    }

    /** SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** Another signal, by its name; nothing if the process has ended. */
    public void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException failed) {
            throw new VerbFailure(
                    "cannot send SIG" + name + ": " + failed.getMessage() + "; is kill installed?", failed);
        }
    }

    /** Closes the pipe to its standard input, which ends a verb that watches it. */
    public void endInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException gone) {
            // The process has already closed it.
        }
    }

    /** Waits for its end, no longer than the limit; returns whether it has ended. */
    public boolean await(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The last lines of its output. */
    public String lastWords() {
        return lastWords(output);
    }

    /** The last lines of a file. */
    public static String lastWords(Path output) {
        try {
            List<String> lines = new String(Files.readAllBytes(output), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return lines.isEmpty()
                    ? "it said nothing"
                    : String.join(
                            System.lineSeparator(),
                            lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException unreadable) {
            return "its output cannot be read: " + unreadable;
        }
    }
}
