package dev.laneway.proof;

import dev.laneway.cli.program.VerbFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * The journal of a member of a chaos run, in a file: each note reaches the operating system before the member goes on,
 * so kill -9 loses none. Thread-safe.
 */
final class Journal implements AutoCloseable {
    private final OutputStream out;

    Journal(Path file) {
        try {
            out = Files.newOutputStream(file);
        } catch (IOException failed) {
            throw new VerbFailure("cannot write the journal " + file + ": " + failed, failed);
        }
    }

    /** Microseconds since the epoch. */
    static long now() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** Writes a note; order and time of notes agree. Returns the time. */
    synchronized long add(LongFunction<Note> note) {
        long now = now();
        try {
            out.write((note.apply(now).line() + "\n").getBytes(StandardCharsets.UTF_8));
            return now;
        } catch (IOException failed) {
            // A member without a journal cannot be checked, so the handler or the owner thread fails.
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Reads the notes of a journal in order. A last line that a kill has cut off is ignored. */
    static void read(Path file, Consumer<Note> notes) {
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            StringBuilder line = new StringBuilder();
            for (int read = reader.read(); read >= 0; read = reader.read()) {
                if (read == '\n') {
                    notes.accept(Note.of(line.toString()));
                    line.setLength(0);
                } else {
                    line.append((char) read);
                }
            }
        } catch (IOException unreadable) {
            throw new VerbFailure("cannot read the journal " + file + ": " + unreadable, unreadable);
        }
    }
}
