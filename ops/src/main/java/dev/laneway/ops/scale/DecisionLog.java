package dev.laneway.ops.scale;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A file to which decisions are appended, one line of JSON each. It never throws: a full disk is told once, and once
 * when it is over; meanwhile decisions go on, and the next line that is written says how many are missing. A line that
 * a crash or a full disk has torn is ended, so that the next one stands by itself. Used by one thread.
 */
public final class DecisionLog implements AutoCloseable {
    private final Path file;
    private final Opener opener;
    private final Consumer<String> trouble;

    private @Nullable Output out;
    private boolean isTorn;
    private boolean isFailing;
    private long ticks;
    private long lost;

    /** Where bytes go; a file, or a test's disk that is full. */
    interface Output extends AutoCloseable {
        /** Appends all of it, or throws after a part of it. */
        void append(byte[] bytes) throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Opens the file again after a failure. */
    interface Opener {
        Opened open(Path file) throws IOException;
    }

    /**
     * An open log.
     *
     * @param isEmpty whether it has no first line yet
     * @param isTorn whether its last line has no end
     * @param ticks of the decisions in it
     */
    record Opened(Output output, boolean isEmpty, boolean isTorn, long ticks) {}

    DecisionLog(Path file, Opener opener, Consumer<String> trouble) {
        this.file = file;
        this.opener = opener;
        this.trouble = trouble;
    }

    /**
     * A log that goes on where the file ends.
     *
     * @param trouble told in a sentence if decisions cannot be written, and when they can be again
     */
    public static DecisionLog to(Path file, Consumer<String> trouble) {
        return new DecisionLog(file, DecisionLog::openFile, trouble);
    }

    private static Opened openFile(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            long size = channel.size();
            ByteBuffer first =
                    ByteBuffer.allocate((int) Math.min(size, LogLines.head().length()));
            channel.read(first, 0);
            String begin = new String(first.array(), StandardCharsets.US_ASCII);
            if (!LogLines.head().startsWith(begin)) {
                throw new IOException("it is no decision log of version " + LogLines.VERSION);
            }
            boolean isTorn = size > 0;
            if (size > 0) {
                ByteBuffer last = ByteBuffer.allocate(1);
                channel.read(last, size - 1);
                isTorn = last.get(0) != '\n';
            }
            channel.position(size);
            boolean hasHead = begin.length() == LogLines.head().length();
            long ticks = hasHead ? DecisionLogReader.nextTick(file) : 0;
            return new Opened(new FileOutput(channel), !hasHead, isTorn, ticks);
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw failed;
        }
    }

    private record FileOutput(FileChannel channel) implements Output {
        @Override
        public void append(byte[] bytes) throws IOException {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** Appends a decision. Returns whether it is in the file. */
    public boolean append(LogEntry entry) {
        try {
            Output to = output();
            byte[] line = LogLines.of(entry.numbered(ticks, lost)).getBytes(StandardCharsets.UTF_8);
            if (isTorn) {
                to.append(new byte[] {'\n'});
                isTorn = false;
            }
            isTorn = true;
            to.append(line);
            isTorn = false;
            ticks++;
        } catch (IOException | DecisionLogFailure failed) {
            ticks++;
            lost++;
            tell(failed);
            return false;
        }
        if (isFailing) {
            trouble.accept("decisions are written to " + file + " again; " + lost + " are missing");
        }
        isFailing = false;
        lost = 0;
        return true;
    }

    private Output output() throws IOException {
        if (out != null) {
            return out;
        }
        Opened opened = opener.open(file);
        ticks = Math.max(ticks, opened.ticks());
        isTorn = opened.isTorn();
        if (opened.isEmpty()) {
            try {
                if (isTorn) {
                    opened.output().append(new byte[] {'\n'});
                }
                isTorn = true;
                opened.output().append(LogLines.head().getBytes(StandardCharsets.UTF_8));
                isTorn = false;
            } catch (IOException failed) {
                opened.output().close();
                throw failed;
            }
        }
        out = opened.output();
        return out;
    }

    private void tell(Exception failed) {
        if (!isFailing) {
            trouble.accept("decisions cannot be written to " + file + " (" + failed
                    + ") and go on without: make room, or name another file");
        }
        isFailing = true;
        closeQuietly(); // Opened anew for the next decision: the file may have been moved away to make room.
    }

    private void closeQuietly() {
        Output closing = out;
        out = null;
        try {
            if (closing != null) {
                closing.close();
            }
        } catch (IOException alsoFailed) {
            // That decisions cannot be written is told already.
        }
    }

    @Override
    public void close() {
        closeQuietly();
    }
}
