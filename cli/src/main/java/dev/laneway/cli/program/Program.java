package dev.laneway.cli.program;

import dev.laneway.ConfigurationException;
import dev.laneway.LanewayException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.function.Function;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.AppInfoParser;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/**
 * What makes a program of verbs: parses the command line, helps, refuses, runs the verb and ends with its exit code.
 * The published command line is one such program; what is not published has programs of its own.
 */
public final class Program {
    /** Exit code: the verb did what was asked. */
    public static final int FINE = 0;

    /** Exit code: the verb failed, or what it checked does not hold. */
    public static final int FAILED = 1;

    /** Exit code: the command line is wrong. */
    public static final int USAGE = 2;

    private static final int LEAST_HELP_WIDTH = 60;
    private static final int MOST_HELP_WIDTH = 110;

    @Command(
            name = "laneway",
            header = "Kafka records in parallel, in order, committed exactly.",
            synopsisSubcommandLabel = "VERB",
            footer = {
                "",
                "Example: laneway demo",
                "",
                "laneway VERB --help says more. Durations are written like 500us, 10ms, 1.5s, 2m, 1h.",
                "Exit codes: 0 fine, 1 failed, 2 usage."
            })
    private static final class Laneway {}

    private Program() {}

    /** Runs a verb and ends the process with its exit code; SIGTERM and Ctrl-C end the verb cleanly. */
    public static void main(String[] args, Function<Verb.Streams, List<?>> verbs) {
        Stop stop = new Stop();
        stop.installHook();
        int code = FAILED;
        try {
            Verb.Streams streams = new Verb.Streams(System.out, System.err, stop);
            code = run(streams, commandLine(streams, verbs.apply(streams)), args);
        } finally {
            stop.exit(code);
        }
    }

    /** Runs a verb; returns the exit code. A verb whose output was lost has failed: a print stream throws nothing. */
    public static int run(Verb.Streams streams, CommandLine line, String... args) {
        int code = executed(streams, line, args);
        boolean isOutLost = streams.out().checkError(); // Both flush.
        boolean isErrLost = streams.err().checkError();
        if (code == FINE && (isOutLost || isErrLost)) {
            streams.err()
                    .println("laneway: some output is lost: standard output or standard error takes no more; is its"
                            + " disk full, or its reader gone?");
            return FAILED;
        }
        return code;
    }

    /** An Error, as where a jar is replaced under a process that runs, would end it without a word. */
    private static int executed(Verb.Streams streams, CommandLine line, String... args) {
        try {
            return line.execute(args);
        } catch (Error failure) {
            streams.err().println("laneway: ended by what no program recovers from: " + failure);
            failure.printStackTrace(streams.err());
            return FAILED;
        }
    }

    /**
     * The command line of some verbs.
     *
     * @param verbs of type {@link Verb}, or command lines of their own
     */
    public static CommandLine commandLine(Verb.Streams streams, List<?> verbs) {
        CommandLine line = new CommandLine(new Laneway());
        verbs.forEach(line::addSubcommand);
        withHelp(line);
        line.setOut(writer(streams.out()));
        line.setErr(writer(streams.err()));
        line.registerConverter(Duration.class, new Durations());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpWidth(
                Math.clamp(Terminal.of(streams.out(), System.getenv()).width(), LEAST_HELP_WIDTH, MOST_HELP_WIDTH));
        CommandLine.IExecutionStrategy runs = line.getExecutionStrategy();
        line.setExecutionStrategy(parsed -> {
            refuseUnknownVerb(parsed);
            return runs.execute(parsed);
        });
        line.setParameterExceptionHandler((wrong, args) -> usage(wrong));
        line.setExecutionExceptionHandler((failure, command, parsed) -> failed(failure, command, streams.err()));
        return line;
    }

    /** Picocli shows the help of what it knows, whatever stands beside --help. */
    private static void refuseUnknownVerb(CommandLine.ParseResult parsed) {
        CommandLine.ParseResult last = parsed;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        CommandLine command = last.commandSpec().commandLine();
        if (!command.getSubcommands().isEmpty() && !last.unmatched().isEmpty()) {
            throw new CommandLine.UnmatchedArgumentException(command, last.unmatched());
        }
    }

    private static void withHelp(CommandLine command) {
        command.getCommandSpec().mixinStandardHelpOptions(true).versionProvider(Program::version);
        command.getSubcommands().values().forEach(Program::withHelp);
    }

    private static String[] version() throws IOException {
        Properties built = new Properties();
        try (InputStream stream = Program.class.getResourceAsStream("version.properties")) {
            built.load(stream);
        }
        return new String[] {
            "Laneway " + built.getProperty("version"),
            "Kafka clients " + AppInfoParser.getVersion(),
            "Java " + Runtime.version()
        };
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(stream, true, stream.charset());
    }

    private static int usage(ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("laneway: " + UsageText.of(wrong));
        CommandLine.UnmatchedArgumentException.printSuggestions(wrong, err);
        err.println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return USAGE;
    }

    private static int failed(Exception failure, CommandLine command, PrintStream err) {
        boolean expected = failure instanceof LanewayException
                || failure instanceof VerbFailure
                || failure instanceof KafkaException;
        boolean verbose = command.getCommand() instanceof Verb verb && verb.verbose();
        err.println("laneway: " + (expected ? failure.getMessage() : failure));
        if (verbose || !expected) {
            failure.printStackTrace(err);
        }
        return failure instanceof ConfigurationException ? USAGE : FAILED;
    }
}
