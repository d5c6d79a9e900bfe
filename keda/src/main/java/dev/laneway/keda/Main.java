package dev.laneway.keda;

import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Verb;
import java.util.List;
import picocli.CommandLine;

/** The entry of {@code ./laneway keda}. */
public final class Main {
    private Main() {}

    /** Runs the verb and ends the process with its exit code. */
    public static void main(String[] args) {
        Program.main(args, Main::verbs);
    }

    static int run(Verb.Streams streams, String... args) {
        return Program.run(streams, commandLine(streams), args);
    }

    static CommandLine commandLine(Verb.Streams streams) {
        return Program.commandLine(streams, verbs(streams));
    }

    private static List<?> verbs(Verb.Streams streams) {
        return List.of(new KedaCommand(streams));
    }
}
