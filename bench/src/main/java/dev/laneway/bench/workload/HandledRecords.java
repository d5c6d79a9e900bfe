package dev.laneway.bench.workload;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Which records are handled, by their numbers in the load, in a file that outlives a process that is killed.
 * Thread-safe as long as no record is handled on two threads at once.
 */
final class HandledRecords {
    private static final byte DONE = 1;

    private final MappedByteBuffer states;

    HandledRecords(Path file, long records) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            states = channel.map(FileChannel.MapMode.READ_WRITE, 0, records);
        }
    }

    /** Returns whether it is done already. */
    boolean isDone(long index) {
        return states.get(Math.toIntExact(index)) == DONE;
    }

    void done(long index) {
        states.put(Math.toIntExact(index), DONE);
    }

    long count() {
        long count = 0;
        for (int index = 0; index < states.limit(); index++) {
            count += states.get(index) == DONE ? 1 : 0;
        }
        return count;
    }
}
