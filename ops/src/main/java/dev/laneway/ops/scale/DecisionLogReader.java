package dev.laneway.ops.scale;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads decision logs line by line; a torn or damaged line is left out and counted. Used by one thread. */
public final class DecisionLogReader {
    private final Path file;
    private int damaged;
    private long lost;

    public DecisionLogReader(Path file) {
        this.file = file;
    }

    /** Lines of the last reading that are no entries. */
    public int damaged() {
        return damaged;
    }

    /** Decisions of the last reading that were made and could not be written. */
    public long lost() {
        return lost;
    }

    /**
     * Passes on each entry in the order in which they were written; an empty file is a log that has none yet.
     *
     * @throws DecisionLogFailure if the file cannot be read, or is no decision log
     */
    public void forEach(Consumer<LogEntry> taker) {
        damaged = 0;
        lost = 0;
        boolean isLog = false;
        boolean isEmpty = true;
        // What is not UTF-8 is replaced, so that a damaged line does not hide the others.
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            for (String text = lines.readLine(); text != null; text = lines.readLine()) {
                isEmpty = false;
                JsonNode line = text.isEmpty() ? null : LogLines.json(text);
                if (line != null && LogLines.isHead(line)) {
                    isLog = true;
                    continue;
                }
                LogEntry entry = line == null || !isLog ? null : LogLines.entry(line);
                if (entry == null) {
                    damaged += text.isEmpty() ? 0 : 1;
                } else {
                    lost += entry.lostBefore();
                    taker.accept(entry);
                }
            }
        } catch (NoSuchFileException missing) {
            throw new DecisionLogFailure(
                    "decision log " + file + " is not there: name the file that the autoscaler writes", missing);
        } catch (IOException failed) {
            throw new DecisionLogFailure(
                    "decision log " + file + " cannot be read (" + failed + "): name a file that you may read", failed);
        } catch (DecisionLogFailure other) {
            throw new DecisionLogFailure("decision log " + file + " cannot be read: " + other.getMessage(), other);
        }
        if (!isLog && !isEmpty) {
            throw new DecisionLogFailure(
                    "file " + file + " is no decision log: name the file that the autoscaler writes");
        }
    }

    /**
     * The last decision at or before a time. Where the clock has gone back, of those that fit the last that was
     * written.
     */
    public @Nullable LogEntry at(long millis) {
        Latest latest = new Latest();
        forEach(entry -> {
            if (entry.inputs().atMillis() <= millis
                    && (latest.entry == null
                            || entry.inputs().atMillis()
                                    >= latest.entry.inputs().atMillis())) {
                latest.entry = entry;
            }
        });
        return latest.entry;
    }

    /** The last decision that was written; null if there is none. */
    public @Nullable LogEntry last() {
        Latest latest = new Latest();
        forEach(entry -> latest.entry = entry);
        return latest.entry;
    }

    /** The decisions from one time to another, both included, in the order in which they were written. */
    public List<LogEntry> between(long fromMillis, long toMillis) {
        List<LogEntry> entries = new ArrayList<>();
        forEach(entry -> {
            if (entry.inputs().atMillis() >= fromMillis && entry.inputs().atMillis() <= toMillis) {
                entries.add(entry);
            }
        });
        return entries;
    }

    /** The tick after the last one of a log. */
    static long nextTick(Path file) {
        Latest latest = new Latest();
        new DecisionLogReader(file).forEach(entry -> latest.tick = Math.max(latest.tick, entry.tick() + 1));
        return latest.tick;
    }

    private static final class Latest {
        private @Nullable LogEntry entry;
        private long tick;
    }
}
