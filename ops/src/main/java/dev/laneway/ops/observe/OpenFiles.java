package dev.laneway.ops.observe;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the files that a process has open tell of it. Stateless. */
final class OpenFiles {
    /** Enough for a process with hundreds of stores; each costs a few microseconds. */
    private static final int MOST = 20_000;

    private static final Pattern TASK = Pattern.compile("(.+__)?\\d+_\\d+");

    private OpenFiles() {}

    /**
     * The {@code state.dir} of Kafka Streams, which no metric tells: RocksDB holds files of
     * {@code state.dir/application.id/task/rocksdb/store} open.
     *
     * @param process {@code /proc/PID}, whose {@code fd} only its user and root may read
     * @return null if there is no such file, or it must not be seen
     */
    static @Nullable Path stateDirectory(Path process) {
        int looked = 0;
        try (DirectoryStream<Path> open = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path descriptor : open) {
                Path directory = stateDirectoryOf(descriptor);
                if (directory != null) {
                    return directory;
                }
                if (++looked == MOST) {
                    return null;
                }
            }
        } catch (IOException | DirectoryIteratorException hidden) {
            // It has ended, or belongs to another user.
        }
        return null;
    }

    private static @Nullable Path stateDirectoryOf(Path descriptor) {
        try {
            Path file = Files.readSymbolicLink(descriptor);
            Path root = file.getRoot(); // Sockets and pipes have none.
            for (int at = 3; root != null && at < file.getNameCount(); at++) {
                // Not RocksDB's own library, which lies in org/rocksdb of a repository.
                if (file.getName(at).toString().equals("rocksdb")
                        && TASK.matcher(file.getName(at - 1).toString()).matches()) {
                    return root.resolve(file.subpath(0, at - 2));
                }
            }
        } catch (IOException closed) {
            // It was closed meanwhile.
        }
        return null;
    }
}
