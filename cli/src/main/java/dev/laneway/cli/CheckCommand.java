package dev.laneway.cli;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Connection;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Terminal;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.cli.watch.CheckInputs;
import dev.laneway.cli.watch.MemberOptions;
import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.check.GroupCheck;
import dev.laneway.ops.check.Thresholds;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Recording;
import dev.laneway.ops.observe.SourceFailure;
import dev.laneway.ops.observe.Watch;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Says whether a group is healthy, and if not, what limits or breaks it. */
@Command(
        name = "check",
        header = "Say whether a group is healthy, what limits or breaks it, and what to do.",
        description = {
            "Watches the group, its members' processes and their machines for a while, and judges by rules: one"
                + " verdict, the evidence, and each rule with what was seen. Joins no group and changes none; --pid"
                + " starts the management agent of that JVM, as JConsole does, and stops nothing. What cannot be seen"
                + " is UNKNOWN, and says how it can. docs/check.md has the rules."
        },
        footer = {
            "",
            "Example: laneway check --group shop --pid 4711",
            "",
            "Exit codes: 0 healthy; 1 healthy, with warnings, or the check failed; 2 limited or broken, or usage; 3 too"
                    + " little could be seen."
        })
final class CheckCommand extends Verb {
    private static final int UNKNOWN = 3;

    @Mixin
    private Connection connection = new Connection();

    @Option(names = "--group", paramLabel = "GROUP", description = "The group: classic, consumer, streams or share.")
    private @Nullable String group;

    @Option(
            names = "--keys",
            description = "Tell a hot key from a hot partition: read some records of the partition that is furthest"
                    + " behind, and count their keys. Needs READ on the topic; shows and keeps no key.")
    private boolean keys;

    @Mixin
    private MemberOptions members = new MemberOptions();

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long to watch (default: ${DEFAULT-VALUE}). Stalls of Kafka Streams take 70s to tell.")
    private Duration period = Duration.ofSeconds(30);

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "2s",
            description = "Time between two looks (default: ${DEFAULT-VALUE}).")
    private Duration interval = Duration.ofSeconds(2);

    @Option(names = "--record", paramLabel = "FILE", description = "Write what is seen to this file, too.")
    private @Nullable Path record;

    @Option(
            names = "--replay",
            paramLabel = "FILE",
            description = "Judge what was recorded in this file, and look at nothing else.")
    private @Nullable Path replay;

    @Option(
            names = "--set",
            paramLabel = "THRESHOLD=N",
            description = "Another limit of a rule, such as gc.share=0.1; as often as needed.")
    private Map<String, Double> set = new LinkedHashMap<>();

    @Option(names = "--junit", paramLabel = "FILE", description = "Write the findings as JUnit XML to FILE.")
    private @Nullable Path junit;

    @Option(
            names = "--mcp",
            description =
                    "Serve the check as a tool of the Model Context Protocol over standard input and output, until"
                            + " standard input ends.")
    private boolean mcp;

    CheckCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        CheckInputs inputs = inputs();
        if (mcp) {
            if (!inputs.isEmpty() || replay != null || record != null || junit != null || writesJson()) {
                throw new ConfigurationException(
                        "--mcp",
                        "given",
                        "takes its inputs from each call and answers with JSON",
                        "give only options of the connection and --set");
            }
        } else if (replay == null && inputs.isEmpty()) {
            throw new ConfigurationException(
                    "--group", "not given", "must be, unless a process or a recording is", "name a group");
        }
        if (replay != null && !inputs.isEmpty()) {
            throw new ConfigurationException(
                    "--replay",
                    replay.toString(),
                    "excludes --group, --pid, --jmx and --prometheus",
                    "leave these out");
        }
        if (keys && group == null) {
            throw new ConfigurationException("--keys", "given", "needs a group", "give --group, or leave --keys out");
        }
        if (group != null) {
            Rules.named("--group", group);
        }
        Rules.positive("--for", period);
        Rules.positive("--interval", interval);
        connection.brokerLimit();
        thresholds();
        members.check();
    }

    private CheckInputs inputs() {
        return members.inputs(group, keys);
    }

    private Thresholds thresholds() {
        Thresholds thresholds = Thresholds.USUAL;
        for (Map.Entry<String, Double> each : set.entrySet()) {
            try {
                thresholds = thresholds.with(each.getKey(), each.getValue());
            } catch (IllegalArgumentException wrong) {
                throw new ConfigurationException(
                        "--set", each.getKey() + "=" + each.getValue(), String.valueOf(wrong.getMessage()), "see docs");
            }
        }
        return thresholds;
    }

    @Override
    protected int run() throws InterruptedException {
        if (mcp) {
            return serve();
        }
        Observations seen = replay == null ? watch(inputs()) : replayed(replay);
        CheckResult result = GroupCheck.judge(seen, thresholds());
        CheckText.lines(result, name(seen), terminal().width()).forEach(text()::println);
        report(CheckJson.of(result, name(seen)));
        if (junit != null) {
            try {
                Files.writeString(junit, CheckJunit.of(result, name(seen)));
            } catch (IOException failed) {
                throw new VerbFailure("cannot write --junit " + junit + ": " + failed, failed);
            }
        }
        return code(result);
    }

    private static int code(CheckResult result) {
        return switch (result.outcome()) {
            case HEALTHY -> result.hasWarnings() ? Program.FAILED : Program.FINE;
            case LIMITED, BROKEN -> Program.USAGE;
            case UNKNOWN -> UNKNOWN;
        };
    }

    private static String name(Observations seen) {
        return seen.texts("group", "group").stream()
                .findFirst()
                .map(Observations.Text::last)
                .orElse("the application");
    }

    private static Observations replayed(Path file) {
        try {
            return new Observations(Recording.read(file).samples());
        } catch (SourceFailure failed) {
            throw new VerbFailure("--replay: " + failed.getMessage(), failed);
        }
    }

    private int serve() throws InterruptedException {
        CheckMcp server = new CheckMcp(inputs -> {
            Observations seen = watch(inputs);
            CheckResult result = GroupCheck.judge(seen, thresholds());
            return new CheckMcp.Result(
                    String.join(
                            "\n",
                            CheckText.lines(result, name(seen), Terminal.none().width())),
                    CheckJson.of(result, name(seen)));
        });
        try {
            server.serve(new InputStreamReader(System.in, StandardCharsets.UTF_8), text());
            return Program.FINE;
        } catch (IOException failed) {
            throw new VerbFailure("cannot go on reading requests: " + failed.getMessage(), failed);
        }
    }

    private Observations watch(CheckInputs inputs) throws InterruptedException {
        Map<String, Object> config = connection.adminConfig();
        Admin admin = inputs.group() == null ? null : Connection.admin(config);
        try (Recording recording = record == null ? null : Recording.to(record);
                Watch watch = new Watch(
                        inputs.sources(admin, config, connection.brokerLimit()), connection.brokerLimit(), sample -> {
                            if (recording != null) {
                                recording.add(sample);
                            }
                        })) {
            rounds(watch);
            watch.failures()
                    .forEach((source, why) ->
                            errors().println("laneway: " + (why.startsWith(source) ? why : source + ": " + why)));
            return watch.observations();
        } catch (SourceFailure failed) {
            throw new VerbFailure("--record: " + failed.getMessage(), failed);
        } finally {
            if (admin != null) {
                admin.close(Duration.ZERO); // Without a limit it can wait for ever for a broker that is silent.
            }
        }
    }

    private void rounds(Watch watch) throws InterruptedException {
        long start = System.nanoTime();
        boolean isLast = false;
        while (!isLast) {
            watch.round();
            long left = period.toNanos() - (System.nanoTime() - start);
            if (terminal().live()) {
                errors().print("\rwatching, " + Math.max(0, left / 1_000_000_000) + " s left \u001b[K");
                errors().flush();
            }
            isLast = left < interval.toNanos() || stop().await(interval);
        }
        if (terminal().live()) {
            errors().print("\r\u001b[K");
            errors().flush();
        }
    }
}
