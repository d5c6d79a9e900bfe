package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.scale.DecisionLogFailure;
import dev.laneway.ops.scale.DecisionLogReader;
import dev.laneway.ops.scale.LogEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The decision log that a verb reads, and times in it. Used by the thread that runs the verb. */
final class DecisionLogOption {
    private static final List<Function<String, Instant>> TIME_FORMS = List.of(
            Instant::parse,
            text -> OffsetDateTime.parse(text).toInstant(),
            text -> LocalDateTime.parse(text).toInstant(ZoneOffset.UTC));

    @Option(
            names = "--log",
            paramLabel = "FILE",
            required = true,
            description = "The decision log that the autoscaler writes.")
    private Path log = Path.of("");

    private @Nullable DecisionLogReader reader;

    void check() {
        if (!Files.isRegularFile(log)) {
            throw new ConfigurationException(
                    "--log", log.toString(), "must be a file that exists", "give the log of the autoscaler");
        }
    }

    /** Reads the log. */
    <T> T read(Function<DecisionLogReader, T> reading) {
        DecisionLogReader opened = new DecisionLogReader(log);
        reader = opened;
        return told(() -> reading.apply(opened));
    }

    /** Does what may find that the log is of another version. */
    static <T> T told(Supplier<T> work) {
        try {
            return work.get();
        } catch (DecisionLogFailure failed) {
            throw new VerbFailure(String.valueOf(failed.getMessage()), failed);
        }
    }

    /** The decision at or before a time, or the last one. */
    LogEntry entry(@Nullable Long atMillis) {
        LogEntry entry = read(opened -> new Found(atMillis == null ? opened.last() : opened.at(atMillis)))
                .entry();
        if (entry == null) {
            throw new VerbFailure(
                    "the log has no decision" + (atMillis == null ? "" : " at or before " + time(atMillis))
                            + ": name another log, or a later time");
        }
        return entry;
    }

    private record Found(@Nullable LogEntry entry) {}

    /** Lines of the last reading that are damaged. */
    int damaged() {
        return reader == null ? 0 : reader.damaged();
    }

    /** Decisions of the last reading that could not be written. */
    long lost() {
        return reader == null ? 0 : reader.lost();
    }

    /** A time as people write it, in milliseconds since 1970; without an offset it is UTC. Null if none is given. */
    static @Nullable Long millis(String option, @Nullable String text) {
        if (text == null) {
            return null;
        }
        for (Function<String, Instant> form : TIME_FORMS) {
            try {
                return form.apply(text).toEpochMilli();
            } catch (DateTimeException | ArithmeticException wrong) {
                // Another form may fit.
            }
        }
        throw new ConfigurationException(
                option,
                text,
                "must be a time",
                "write it like 2026-01-31T12:00:00Z, or without Z, which means the same");
    }

    static String time(long millis) {
        return Instant.ofEpochSecond(Math.floorDiv(millis, 1_000L)).toString();
    }
}
