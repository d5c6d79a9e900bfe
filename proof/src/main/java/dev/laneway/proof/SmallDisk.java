package dev.laneway.proof;

import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A file system in memory for a broker's data, whose size can be reduced to what is in use: then every write fails as
 * on a full disk. Needs Linux and root. Used by one thread.
 *
 * <p>A shell mounts it, waits for the end of the pipe from this process, and unmounts it, also when this process is
 * killed.
 */
final class SmallDisk implements AutoCloseable {
    private static final long ROOM_BYTES = 2L << 30;
    /** What is left when it is filled, so that writes of the broker fill it up. */
    private static final long REST_BYTES = 64 << 10;
    /** How often to try to fill it while others write, each time leaving twice as much. */
    private static final int FILL_TRIES = 8;

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(20);
    private static final String MOUNTED = "mounted";
    /**
     * It ignores Ctrl-C, which a terminal sends to it too. If the file system is still in use, it is unmounted when
     * that ends.
     */
    private static final String KEEPER = """
        trap '' HUP INT TERM
        mount -t tmpfs -o "size=$2" laneway-chaos "$1" || exit 1
        echo mounted
        cat >/dev/null
        umount "$1" 2>/dev/null || umount -l "$1"
        """;

    private final Path directory;
    private final Process keeper;

    private SmallDisk(Path directory, Process keeper) {
        this.directory = directory;
        this.keeper = keeper;
    }

    /**
     * Mounts one on a directory, which is made.
     *
     * @throws VerbFailure where that is not possible
     */
    static SmallDisk mount(Path directory) {
        try {
            Files.createDirectories(directory);
            Process keeper = start("/bin/sh", "-c", KEEPER, "sh", directory.toString(), Long.toString(ROOM_BYTES));
            String answer = keeper.inputReader(StandardCharsets.UTF_8).readLine();
            if (!MOUNTED.equals(answer)) {
                throw new VerbFailure("--fill-disk cannot mount a file system of its own on " + directory + ": "
                        + (answer == null ? "no answer" : answer.replaceFirst("\\.$", ""))
                        + "; it takes Linux and root: run as root, or leave --fill-disk out");
            }
            return new SmallDisk(directory, keeper);
        } catch (IOException failed) {
            throw new VerbFailure("--fill-disk cannot make " + directory + ": " + failed, failed);
        }
    }

    /** Whether this machine lets this process mount one, and resize it. */
    static boolean isPossible() {
        try {
            Path probe = Files.createTempDirectory("laneway-disk-");
            try (SmallDisk disk = mount(probe)) {
                disk.fill();
                return true;
            } finally {
                Files.deleteIfExists(probe);
            }
        } catch (VerbFailure | IOException refused) {
            return false;
        }
    }

    /** Leaves next to no room. */
    void fill() {
        String answer = "";
        for (int tried = 0; tried < FILL_TRIES; tried++) {
            // Refused if more is in use by now.
            answer = resize(used() + (REST_BYTES << tried));
            if (answer.isEmpty()) {
                return;
            }
        }
        throw new VerbFailure("cannot fill the file system on " + directory + ": " + answer);
    }

    /** Gives the room back. */
    void free() {
        String answer = resize(ROOM_BYTES);
        if (!answer.isEmpty()) {
            throw new VerbFailure("cannot resize the file system on " + directory + ": " + answer);
        }
    }

    private long used() {
        try {
            var store = Files.getFileStore(directory);
            return store.getTotalSpace() - store.getUnallocatedSpace();
        } catch (IOException failed) {
            throw new VerbFailure("cannot see how full " + directory + " is: " + failed, failed);
        }
    }

    /** Returns why it failed; empty when it did not. */
    private String resize(long bytes) {
        try {
            Process process = start("mount", "-o", "remount,size=" + bytes, directory.toString());
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            int code = process.waitFor();
            return code == 0 ? "" : said.lines().findFirst().orElse("mount ended with " + code);
        } catch (IOException missing) {
            return String.valueOf(missing.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static Process start(String... command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** Unmounts it, with all that is on it. */
    @Override
    public void close() {
        try {
            keeper.getOutputStream().close();
            var _ = keeper.waitFor(CLOSE_LIMIT.toNanos(), TimeUnit.NANOSECONDS); // It may end later on a slow machine.
        } catch (IOException gone) {
            // The process has already closed it.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
