package dev.laneway.cli.size;

import dev.laneway.cli.program.Jvm;
import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A command line of the user's, as a process with its output in a file. It ignores Ctrl-C, which a terminal sends to it
 * too: this process ends it in time. Should this process be killed, it ends by SIGTERM. Used by one thread.
 */
final class AppProcess implements AutoCloseable {
    private static final Duration END_LIMIT = Duration.ofSeconds(30);
    private static final String ENDED = "end";

    /**
     * A helper waits for a word on the pipe that this process holds: if the pipe ends without it, this process is gone.
     * The word keeps the helper from a signal to a process that has the same id later.
     */
    private static final String WATCHED = "trap '' INT; exec 3<&0; (read -r word <&3; [ \"$word\" = " + ENDED
            + " ] || kill -TERM $$) 2>/dev/null & exec \"$@\" 3<&- </dev/null";

    private final String name;
    private final Process process;
    private final Path output;

    private AppProcess(String name, Process process, Path output) {
        this.name = name;
        this.process = process;
        this.output = output;
    }

    /**
     * Starts it.
     *
     * @param name for people, such as {@code instance 1}
     */
    static AppProcess start(String name, List<String> command, Path output) {
        List<String> watched = new ArrayList<>(List.of("/bin/sh", "-c", WATCHED, "sh"));
        watched.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(watched)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        try {
            return new AppProcess(name, builder.start(), output);
        } catch (IOException failed) {
            throw new VerbFailure("cannot start " + name + ": " + failed.getMessage(), failed);
        }
    }

    /** Fails if it has ended. */
    void check() {
        if (!process.isAlive()) {
            throw new VerbFailure(name + " ended with exit code " + process.exitValue() + ", and its last words are: "
                    + lastLine() + "; all of its output is in " + output);
        }
    }

    private String lastLine() {
        List<String> lines =
                Jvm.lastWords(output).lines().filter(line -> !line.isBlank()).toList();
        return lines.isEmpty() ? "none" : lines.getLast().strip();
    }

    Path output() {
        return output;
    }

    /** The JVMs among it and the processes that it has started. */
    List<Long> jvms() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .filter(each -> each.info().command().orElse("").endsWith("/java"))
                .map(ProcessHandle::pid)
                .toList();
    }

    /** Asks it and all that it has started to end, without waiting. */
    void terminate() {
        List<ProcessHandle> all = all();
        try {
            process.getOutputStream().write((ENDED + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().close();
        } catch (IOException gone) {
            // The helper has ended, or all of it.
        }
        all.forEach(ProcessHandle::destroy);
    }

    private List<ProcessHandle> all() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
    }

    /** Asks it to end, and kills what has not ended within half a minute. */
    @Override
    public void close() {
        List<ProcessHandle> all = all();
        terminate();
        try {
            if (!process.waitFor(END_LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        all.forEach(ProcessHandle::destroyForcibly);
    }
}
