package dev.laneway.ops.control;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A file that one process at a time has, until it ends or closes this. Used by one thread. */
public final class ExclusiveFile implements AutoCloseable {
    private final FileChannel channel;

    private ExclusiveFile(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes a file, which is made if it is not there.
     *
     * @return null if another process, or this one, has it
     * @throws IOException if it cannot be opened or locked
     */
    public static @Nullable ExclusiveFile take(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return new ExclusiveFile(channel);
            }
        } catch (OverlappingFileLockException own) {
            // As if another process had it.
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
        channel.close();
        return null;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException gone) {
            // It is unlocked when the process ends, at the latest.
        }
    }
}
