package dev.laneway.cli;

import dev.laneway.cli.compare.AutoscaleCompareCommand;
import dev.laneway.cli.live.TopCommand;
import dev.laneway.cli.live.UiCommand;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.size.SizeCommand;
import java.util.List;
import picocli.CommandLine;

/** The entry of the published command line. */
public final class Main {
    private Main() {}

    /** Runs a verb and ends the process with its exit code. */
    public static void main(String[] args) {
        Program.main(args, Main::verbs);
    }

    static int run(Verb.Streams streams, String... args) {
        return Program.run(streams, commandLine(streams), args);
    }

    public static CommandLine commandLine(Verb.Streams streams) {
        return Program.commandLine(streams, verbs(streams));
    }

    private static List<?> verbs(Verb.Streams streams) {
        return List.of(
                new DemoCommand(streams),
                new BrokerCommand(streams),
                new LoadCommand(streams),
                new ConsumeCommand(streams),
                new CommandLine(new OffsetsCommand())
                        .addSubcommand(new OffsetsDescribeCommand(streams))
                        .addSubcommand(new OffsetsResetCommand(streams)),
                new CheckCommand(streams),
                new LagCommand(streams),
                new UiCommand(streams),
                new TopCommand(streams),
                new PlanCommand(streams),
                new SimulateCommand(streams),
                new SizeCommand(streams, BrokerProcess::start),
                new CommandLine(new AutoscaleCommand())
                        .addSubcommand(new AutoscaleRunCommand(streams))
                        .addSubcommand(new AutoscaleExplainCommand(streams))
                        .addSubcommand(new AutoscaleWhyNotCommand(streams))
                        .addSubcommand(new AutoscaleReplayCommand(streams))
                        .addSubcommand(new AutoscaleCompareCommand(streams)));
    }
}
