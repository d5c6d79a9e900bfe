package dev.laneway.orders;

import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Verb;
import java.io.InputStream;
import java.util.List;
import picocli.CommandLine;

/** The entry of {@code ./laneway orders}. */
public final class Main {
    private Main() {}

    /** Runs the verb and ends the process with its exit code. */
    public static void main(String[] args) {
        Program.main(args, streams -> verbs(streams, System.in));
    }

    static int run(Verb.Streams streams, InputStream in, String... args) {
        return Program.run(streams, commandLine(streams, in), args);
    }

    static CommandLine commandLine(Verb.Streams streams, InputStream in) {
        return Program.commandLine(streams, verbs(streams, in));
    }

    private static List<?> verbs(Verb.Streams streams, InputStream in) {
        return List.of(new CommandLine(new OrdersCommand())
                .addSubcommand(new RunCommand(streams))
                .addSubcommand(new RunLanewayCommand(streams))
                .addSubcommand(new GenerateCommand(streams, in))
                .addSubcommand(new StoryCommand(streams)));
    }
}
