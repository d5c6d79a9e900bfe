package dev.laneway.ops.control;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process that is a member. It does not end with this one: its output goes to a file, it ignores the Ctrl-C that a
 * terminal sends to all, and its file of the process id lets the next autoscaler find it. Used by one thread.
 */
final class LocalMember {
    static final String NUMBER = "LANEWAY_MEMBER_NUMBER";
    /** Marks a process as one of ours, since ids of processes are used again. */
    static final String MARK = "LANEWAY_MEMBER";

    /** The shell writes its id, which stays that of the program that takes its place. */
    private static final String SCRIPT = "trap '' INT HUP; echo $$ >\"$1\"; shift; exec \"$@\"";

    private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(2);
    private static final Path PROC = Path.of("/proc");

    final int number;
    private final Path file;
    private final ProcessHandle handle;
    private final @Nullable Process process;
    private final long startedNanos;
    private @Nullable Long forceNanos;
    private boolean isForced;

    private LocalMember(int number, Path file, ProcessHandle handle, @Nullable Process process, long startedNanos) {
        this.number = number;
        this.file = file;
        this.handle = handle;
        this.process = process;
        this.startedNanos = startedNanos;
    }

    private static Path file(Path directory, int number) {
        return directory.resolve("member-" + number + ".pid").toAbsolutePath();
    }

    /** The output of a member. */
    static Path output(Path directory, int number) {
        return directory.resolve("member-" + number + ".log");
    }

    static LocalMember start(List<String> command, Path directory, int number, long nowNanos) throws IOException {
        Path file = file(directory, number);
        List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "sh", file.toString()));
        command.forEach(word -> line.add(word.replace("{n}", Integer.toString(number))));
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        output(directory, number).toFile()));
        builder.environment().putAll(Map.of(MARK, file.toString(), NUMBER, Integer.toString(number)));
        Process process = builder.start();
        return new LocalMember(number, file, process.toHandle(), process, nowNanos);
    }

    /** The member of this number that an autoscaler before this one has started; null if it no longer runs. */
    static @Nullable LocalMember find(Path directory, int number, long nowNanos) throws IOException {
        Path file = file(directory, number);
        String text = Files.readString(file).strip();
        Optional<ProcessHandle> found =
                text.matches("\\d{1,18}") ? ProcessHandle.of(Long.parseLong(text)) : Optional.empty();
        if (found.isPresent() && found.get().isAlive() && isOurs(found.get(), file)) {
            return new LocalMember(number, file, found.get(), null, nowNanos);
        }
        Files.deleteIfExists(file);
        return null;
    }

    private static boolean isOurs(ProcessHandle handle, Path file) throws IOException {
        Path environment = PROC.resolve(Long.toString(handle.pid())).resolve("environ");
        if (Files.exists(environment)) {
            try {
                String text = new String(Files.readAllBytes(environment), StandardCharsets.ISO_8859_1);
                String mark =
                        new String((MARK + "=" + file).getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
                return List.of(text.split("\0", -1)).contains(mark);
            } catch (IOException otherUser) {
                return false; // Ours would be of this user.
            }
        }
        // A process that has the id of one that wrote the file has begun after that.
        FileTime written = Files.getLastModifiedTime(file);
        Optional<Instant> start = handle.info().startInstant();
        return start.isPresent() && start.get().isBefore(written.toInstant().plus(CLOCKS_DIFFER));
    }

    long pid() {
        return handle.pid();
    }

    boolean isAlive() {
        return handle.isAlive();
    }

    boolean isEnding() {
        return forceNanos != null;
    }

    boolean isAdopted() {
        return process == null;
    }

    /** Whether it is a JVM, as far as its program tells: only those can be looked into. */
    boolean isJava() {
        return handle.info()
                .command()
                .map(Path::of)
                .map(Path::getFileName)
                .filter(name -> name.toString().equals("java"))
                .isPresent();
    }

    double ageSeconds(long nowNanos) {
        return (nowNanos - startedNanos) / 1e9;
    }

    /** SIGTERM. */
    void end(long forceAtNanos) {
        forceNanos = forceAtNanos;
        handle.destroy();
    }

    /** SIGKILL if it was asked to end long ago. Returns whether that was done now. */
    boolean force(long nowNanos) {
        if (isForced || forceNanos == null || nowNanos - forceNanos < 0) {
            return false;
        }
        isForced = true;
        handle.destroyForcibly();
        return true;
    }

    /** How it has ended, in words. */
    String exit() throws InterruptedException {
        return process != null && process.waitFor(1, TimeUnit.SECONDS)
                ? "with exit code " + process.exitValue()
                : "with an unknown exit code";
    }

    /** Removes its file, after its end. */
    void forget() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException left) {
            // The next autoscaler finds that this process no longer runs.
        }
    }
}
