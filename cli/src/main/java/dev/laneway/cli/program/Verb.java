package dev.laneway.cli.program;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.laneway.ConfigurationException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The base of every verb: help, the JSON report, and the streams for people. Used by the thread that runs the verb. */
public abstract class Verb implements Callable<Integer> {
    private static final String STANDARD_OUT = "-";

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description =
                    "Write the result as JSON to FILE; - is standard output, and text for people then goes to standard"
                            + " error.")
    private @Nullable String json;

    @Option(names = "--verbose", description = "Show stack traces of failures.")
    private boolean verbose;

    private final Streams streams;

    protected Verb(Streams streams) {
        this.streams = streams;
    }

    /** The streams of the process, and the request to end. Immutable. */
    public record Streams(PrintStream out, PrintStream err, Stop stop) {}

    /** Checks the options; called before anything is connected. */
    protected abstract void check();

    /** Does the work. Returns the exit code. */
    protected abstract int run() throws InterruptedException;

    @Override
    public final Integer call() throws InterruptedException {
        checkAll();
        return run();
    }

    /** Checks the common options and the verb's own ones. */
    public final void checkAll() {
        checkJsonFile();
        check();
    }

    final boolean verbose() {
        return verbose;
    }

    /** The stream for people. */
    protected final PrintStream text() {
        return STANDARD_OUT.equals(json) ? streams.err() : streams.out();
    }

    /** The stream for progress, which must not mix with the text. */
    protected final PrintStream errors() {
        return streams.err();
    }

    protected final Terminal terminal() {
        return Terminal.of(text(), System.getenv());
    }

    protected final Stop stop() {
        return streams.stop();
    }

    /** Whether --json is given. */
    protected final boolean writesJson() {
        return json != null;
    }

    /** Writes the report where --json says; nothing without it. */
    protected final void report(Object report) {
        if (json == null) {
            return;
        }
        try {
            String written = new ObjectMapper()
                            .enable(SerializationFeature.INDENT_OUTPUT)
                            .writeValueAsString(report)
                    + System.lineSeparator();
            if (json.equals(STANDARD_OUT)) {
                streams.out().print(written);
                if (streams.out().checkError()) { // It flushes; a print stream does not throw.
                    throw new IOException("standard output takes no more: is its disk full, or its reader gone?");
                }
            } else {
                Files.writeString(Path.of(json), written, StandardCharsets.UTF_8);
            }
        } catch (IOException failed) {
            throw new VerbFailure("cannot write the report to --json " + json + ": " + failed, failed);
        }
    }

    /** Checked before the work, not when its result is written. */
    private void checkJsonFile() {
        if (json == null || json.equals(STANDARD_OUT)) {
            return;
        }
        Path file;
        try {
            file = Path.of(json).toAbsolutePath();
        } catch (InvalidPathException wrong) {
            throw new ConfigurationException(
                    "--json", json, "must be a path that this system can write", "use other characters");
        }
        Path directory = file.getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            throw new ConfigurationException(
                    "--json", json, "must be in a directory that exists", "create it, or give - for standard output");
        }
        if (Files.isDirectory(file) || !Files.isWritable(Files.exists(file) ? file : directory)) {
            throw new ConfigurationException("--json", json, "must be a file that can be written", "give another path");
        }
    }
}
