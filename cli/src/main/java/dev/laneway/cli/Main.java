package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.LanewayException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.AppInfoParser;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The command line's entry. */
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
public final class Main {
    /** Exit code: the verb did what was asked. */
    static final int FINE = 0;

    /** Exit code: the verb failed, or what it checked does not hold. */
    static final int FAILED = 1;

    /** Exit code: the command line is wrong. */
    static final int USAGE = 2;

    private static final int LEAST_HELP_WIDTH = 60;
    private static final int MOST_HELP_WIDTH = 110;

    private Main() {}

    /** Runs a verb and ends the process with its exit code; SIGTERM and Ctrl-C end the verb cleanly. */
    public static void main(String[] args) {
        Stop stop = new Stop();
        stop.installHook();
        int code = FAILED;
        try {
            code = run(new Verb.Streams(System.out, System.err, stop), args);
        } finally {
            stop.exit(code);
        }
    }

    /** Runs a verb; returns the exit code. A verb whose output was lost has failed: a print stream throws nothing. */
    static int run(Verb.Streams streams, String... args) {
        int code = commandLine(streams).execute(args);
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

    static CommandLine commandLine(Verb.Streams streams) {
        CommandLine line = new CommandLine(new Main())
                .addSubcommand(new DemoCommand(streams))
                .addSubcommand(new BrokerCommand(streams))
                .addSubcommand(new LoadCommand(streams))
                .addSubcommand(new ConsumeCommand(streams))
                .addSubcommand(new CommandLine(new OffsetsCommand()).addSubcommand(new OffsetsResetCommand(streams)))
                .addSubcommand(new BenchCommand(streams))
                .addSubcommand(new ChaosCommand(streams))
                .addSubcommand(new SoakCommand(streams))
                .addSubcommand(new NodeCommand(streams))
                .addSubcommand(new MemberCommand(streams));
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
        command.getCommandSpec().mixinStandardHelpOptions(true).versionProvider(Main::version);
        command.getSubcommands().values().forEach(Main::withHelp);
    }

    private static String[] version() throws IOException {
        Properties built = new Properties();
        try (InputStream stream = Main.class.getResourceAsStream("version.properties")) {
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
