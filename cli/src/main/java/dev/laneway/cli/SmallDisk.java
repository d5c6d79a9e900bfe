package dev.laneway.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file system of its own for a broker's data, in memory, whose size can be taken down to what is in use: then every
 * write fails as on a full disk. It takes Linux and root. Used by one thread.
 */
final class SmallDisk implements AutoCloseable {
    private static final long ROOM_BYTES = 2L << 30;
    /** Left when it is filled, so that it is writes that fill it up. */
    private static final long REST_BYTES = 64 << 10;

    private final Path directory;

    private SmallDisk(Path directory) {
        this.directory = directory;
    }

    /**
     * Mounts one on a directory, which is made.
     *
     * @throws VerbFailure where that is not possible
     */
    static SmallDisk mount(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException failed) {
            throw new VerbFailure("cannot make " + directory + ": " + failed, failed);
        }
        String answer = run("mount", "-t", "tmpfs", "-o", "size=" + ROOM_BYTES, "laneway-chaos", directory.toString());
        if (!answer.isEmpty()) {
            throw new VerbFailure("--fill-disk cannot mount a file system of its own on " + directory + ": " + answer
                    + "; it takes Linux and root: run as root, or leave --fill-disk out");
        }
        return new SmallDisk(directory);
    }

    /** Whether this machine lets this process mount one. */
    static boolean isPossible() {
        try {
            Path probe = Files.createTempDirectory("laneway-disk-");
            try {
                mount(probe).close();
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
        resize(used() + REST_BYTES);
    }

    /** Gives the room back. */
    void free() {
        resize(ROOM_BYTES);
    }

    private long used() {
        try {
            var store = Files.getFileStore(directory);
            return store.getTotalSpace() - store.getUnallocatedSpace();
        } catch (IOException failed) {
            throw new VerbFailure("cannot see how full " + directory + " is: " + failed, failed);
        }
    }

    private void resize(long bytes) {
        String answer = run("mount", "-o", "remount,size=" + bytes, directory.toString());
        if (!answer.isEmpty()) {
            throw new VerbFailure("cannot resize the file system on " + directory + ": " + answer);
        }
    }

    /** Unmounts it, with all that is on it. */
    @Override
    public void close() {
        if (!run("umount", directory.toString()).isEmpty()) {
            var _ = run("umount", "-l", directory.toString()); // Somebody looks at it; it goes when they have ended.
        }
    }

    /** Returns why a command failed; empty when it did not. */
    private static String run(String... command) {
        try {
            Process process = new ProcessBuilder(List.of(command))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            int code = process.waitFor();
            return code == 0
                    ? ""
                    : said.isEmpty()
                            ? command[0] + " ended with " + code
                            : said.lines().findFirst().orElse("");
        } catch (IOException missing) {
            return String.valueOf(missing.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
