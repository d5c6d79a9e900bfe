package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.watch.AutoscaleRunOptions;
import dev.laneway.cli.watch.AutoscaleSession;
import dev.laneway.ops.control.LocalMembers;
import dev.laneway.ops.control.LoopClock;
import dev.laneway.ops.control.NoActor;
import dev.laneway.ops.control.ScalingActor;
import dev.laneway.ops.control.ScalingMode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a scaling policy on a group. */
@Command(
        name = "run",
        header = "Decide how many members a group should have, write that down, and do it.",
        description = {
            "Measures the group each --interval, decides by the policy, appends the decision to the log and prints it."
                    + " With --mode act it keeps so many processes of COMMAND on this machine: starts, replaces and"
                    + " ends them, and takes over those of an autoscaler before it. Without members that it can look"
                    + " into, how busy they are is unknown, and it adds none for that. Ctrl-C ends it; members stay.",
            "docs/autoscale.md has the policy, and how to begin: with a week of --mode observe."
        },
        footer = {
            "",
            "Example: laneway autoscale run --group shop --log decisions.jsonl",
            "Example: laneway autoscale run --group shop --log decisions.jsonl --mode act -- java -jar shop.jar",
            "",
            "Exit codes: 0 ended as asked; 1 failed; 2 usage."
        })
final class AutoscaleRunCommand extends Verb {
    private static final Duration EARLY = Duration.ofSeconds(30);

    @Mixin
    private Connection connection = new Connection();

    @Mixin
    private AutoscaleRunOptions options = new AutoscaleRunOptions();

    @Option(
            names = "--members-directory",
            paramLabel = "DIR",
            description = "Where process ids and output of members are (default: the log's name with .members).")
    private @Nullable Path directory;

    @Option(
            names = "--end-limit",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long a member may take to end after SIGTERM before it is killed (default:"
                    + " ${DEFAULT-VALUE}).")
    private Duration endLimit = Duration.ofSeconds(30);

    @Parameters(
            paramLabel = "COMMAND",
            arity = "0..*",
            description = "Behind --, the command of a member; {n} in it is its number, from 1 on, which is also in"
                    + " LANEWAY_MEMBER_NUMBER.")
    private List<String> command = new ArrayList<>();

    AutoscaleRunCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        options.check();
        connection.brokerLimit();
        Rules.positive("--end-limit", endLimit);
        boolean acts = options.mode() == ScalingMode.ACT;
        if (acts && command.isEmpty()) {
            throw new ConfigurationException(
                    "--mode",
                    "act",
                    "needs the command of a member",
                    "write it behind --, or use --mode observe or recommend");
        }
        if (!acts && !command.isEmpty()) {
            throw new ConfigurationException(
                    "COMMAND", String.join(" ", command), "is for --mode act only", "add it, or leave the command out");
        }
    }

    @Override
    protected int run() throws InterruptedException {
        AutoscaleSession session = new AutoscaleSession(options, connection, terminal(), text(), errors(), stop());
        report(session.run(this::actor));
        return Program.FINE;
    }

    private ScalingActor actor(@Nullable Integer asked) {
        if (command.isEmpty()) {
            return new NoActor();
        }
        Path folder = directory == null ? Path.of(options.log() + ".members") : directory;
        LocalMembers.Setup setup = new LocalMembers.Setup(command, folder, endLimit, EARLY);
        try {
            return LocalMembers.open(setup, options.policy(), asked, LoopClock.SYSTEM);
        } catch (IOException failed) {
            throw new VerbFailure(
                    "cannot keep members in " + folder + ": " + failed.getMessage()
                            + ": end the other autoscaler, or give another --members-directory",
                    failed);
        }
    }
}
