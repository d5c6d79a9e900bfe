package dev.laneway.orders;

import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory of one process's state, below one that any number of them may share: the first that no other process
 * has locked, so that one that comes again finds what it left. Used by one thread.
 */
final class StateDirectory implements AutoCloseable {
    private static final String LOCK = "process.lock";
    private static final int MOST = 1_000;

    private final Path path;
    private final FileChannel channel;
    private final boolean isTemporary;

    private StateDirectory(Path path, FileChannel channel, boolean isTemporary) {
        this.path = path;
        this.channel = channel;
        this.isTemporary = isTemporary;
    }

    /** Takes one that stays. State is good with the cluster only that has its changelogs. */
    static StateDirectory lasting(Path base, String cluster) {
        return take(base.resolve("cluster-" + cluster), false);
    }

    /** Takes one that is empty, and is removed at the end; removes what killed processes have left. */
    static StateDirectory temporary(Path base) {
        StateDirectory taken = take(base, true);
        try (Stream<Path> found = Files.list(base)) {
            for (Path other : found.filter(each -> !each.equals(taken.path)).toList()) {
                removeUnlessLocked(other);
            }
            removeContent(taken.path);
        } catch (IOException failed) {
            throw failure(base, failed);
        }
        return taken;
    }

    private static StateDirectory take(Path base, boolean isTemporary) {
        try {
            for (int number = 1; number <= MOST; number++) {
                Path path = base.resolve("instance-" + number);
                Files.createDirectories(path);
                FileChannel channel = lock(path);
                if (channel != null) {
                    return new StateDirectory(path, channel, isTemporary);
                }
            }
        } catch (IOException failed) {
            throw failure(base, failed);
        }
        throw new VerbFailure("--state-dir " + base + " has " + MOST + " processes already: give another directory");
    }

    private static @Nullable FileChannel lock(Path directory) throws IOException {
        FileChannel channel =
                FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (OverlappingFileLockException taken) {
            // By this process.
        }
        channel.close();
        return null;
    }

    private static void removeUnlessLocked(Path directory) throws IOException {
        if (Files.exists(directory.resolve(LOCK))) {
            try (FileChannel channel = lock(directory)) {
                if (channel != null) {
                    removeContent(directory);
                }
            }
        }
    }

    /** Without the lock: who waits for it must not lock a file that is gone. */
    private static void removeContent(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.walk(directory)) {
            files = found.filter(each -> !each.equals(directory) && !each.endsWith(LOCK))
                    .sorted(Comparator.reverseOrder())
                    .toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        try (channel) {
            if (isTemporary) {
                removeContent(path);
            }
        } catch (IOException failed) {
            throw failure(path, failed);
        }
    }

    private static VerbFailure failure(Path directory, IOException failed) {
        return new VerbFailure(
                "state cannot be kept in " + directory + ": " + failed + ": give another --state-dir", failed);
    }
}
