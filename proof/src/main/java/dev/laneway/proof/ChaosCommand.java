package dev.laneway.proof;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Kills and cuts off brokers and members under load, and checks every record. */
@Command(
        name = "chaos",
        header = "Kill brokers and members and cut their network under load, then check every record.",
        description = {
            "Starts a cluster and the members of a group, each broker and each member a process of its own; produces"
                    + " records with known content; makes faults at random; repairs everything; waits until all is"
                    + " committed; and checks every record, every handler and every commit.",
            "",
            "Without any of the options that name faults all are made that every machine allows: not --fill-disk. At"
                    + " most one broker is down or cut off at a time, and the next one ends only when all replicas are"
                    + " in sync again. docs/reliability.md says what is checked."
        },
        footer = {
            "",
            "Example: laneway chaos --minutes 10 --brokers 3 --members 4 --kill-brokers --kill-members --cut-network"
                    + " --json -",
            "",
            "Exit codes: 0 all checks hold, 1 one does not or it was stopped, 2 usage."
        })
final class ChaosCommand extends Verb {
    private static final Duration STOP_LIMIT = Duration.ofMinutes(2);
    private static final Duration HOUR = Duration.ofHours(1);

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "2",
            description = "How long records are produced and faults made; 1.5 is fine (default: ${DEFAULT-VALUE}).")
    private double minutes;

    @Option(
            names = "--brokers",
            paramLabel = "N",
            defaultValue = "3",
            description = "Brokers, 1 to 5 (default: ${DEFAULT-VALUE}).")
    private int brokers;

    @Option(
            names = "--members",
            paramLabel = "N",
            defaultValue = "4",
            description = "Members of the group, at least 2 (default: ${DEFAULT-VALUE}).")
    private int members;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ChaosSwitches switches = new ChaosSwitches();

    @Option(
            names = "--every",
            paramLabel = "TIME",
            defaultValue = "5s",
            description = "The mean time between two faults (default: ${DEFAULT-VALUE}).")
    private Duration every = Duration.ZERO;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Draws the faults; the processes' own timing remains (default: a new one, which is printed).")
    private @Nullable Long seed;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Records a second (default: ${DEFAULT-VALUE}).")
    private long rate;

    @Option(
            names = "--keys",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How many keys the records have (default: ${DEFAULT-VALUE}).")
    private int keys;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "12",
            description = "Partitions of the topics (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(
            names = "--work",
            paramLabel = "TIME",
            defaultValue = "5ms",
            description = "How long a handler takes on average (default: ${DEFAULT-VALUE}).")
    private Duration work = Duration.ZERO;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "64",
            description = "Handlers of a member at once (default: ${DEFAULT-VALUE}).")
    private int concurrency;

    @Option(
            names = "--property",
            paramLabel = "KEY=VALUE",
            description = "A Kafka property of the members' consumers, such as group.protocol=consumer; as often as"
                    + " needed.")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Keep data, journals and logs in this new directory; without it they are kept only when a"
                    + " check does not hold.")
    private @Nullable Path directory;

    ChaosCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        if (!(minutes > 0 && minutes <= 10_000)) {
            throw new ConfigurationException(
                    "--minutes", minutes, "must be above 0, at most 10000", "2 is a usual length");
        }
        Rules.between("--brokers", brokers, 1, 5);
        Rules.between("--members", members, 2, 64);
        switches.check(brokers, spec.commandLine().getParseResult().hasMatchedOption("--minutes"));
        Rules.positive("--every", every);
        Rules.between("--rate", rate, 1, 1_000_000);
        Rules.between("--keys", keys, 1, 10_000_000);
        Rules.between("--partitions", partitions, 1, 1_000);
        Rules.between("--concurrency", concurrency, 1, 1_000_000);
        if (directory != null && Files.exists(directory)) {
            throw new ConfigurationException("--directory", directory, "must not exist yet", "give another path");
        }
        Rules.directory("--directory", directory);
    }

    @Override
    protected int run() throws InterruptedException {
        stop().limit(STOP_LIMIT);
        // It logs an ERROR if a request comes too early, which is normal here; the request is repeated.
        System.setProperty("org.slf4j.simpleLogger.log.org.apache.kafka.clients.admin", "off");
        Path place = place();
        boolean keep = directory != null;
        try {
            List<ChaosResult> results = new ArrayList<>();
            for (ChaosPlan plan : plans()) {
                ChaosResult result = new ChaosRun(plan, part(place, plan), text(), stop()).run();
                if (result == null) {
                    text().println("Stopped before the end; "
                            + (results.isEmpty() ? "nothing was" : "what came after the last check was not")
                            + " checked");
                    return Program.FAILED;
                }
                keep |= !result.isFine();
                result.print(text());
                results.add(result);
            }
            boolean fine = results.stream().allMatch(ChaosResult::isFine);
            report(switches.isHour() ? hour(fine, results) : results.getFirst().toJson());
            return fine ? Program.FINE : Program.FAILED;
        } catch (RuntimeException failed) {
            keep |= !stop().isRequested();
            throw failed;
        } finally {
            if (keep) {
                text().println("data, journals and logs are in " + place);
            } else {
                delete(place);
            }
        }
    }

    private Path part(Path place, ChaosPlan plan) {
        return switches.isHour() ? directory(place.resolve(plan.mode().label())) : place;
    }

    private static Map<String, Object> hour(boolean fine, List<ChaosResult> results) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("fine", fine);
        json.put("rounds", results.stream().map(ChaosResult::toJson).toList());
        return json;
    }

    /** The plans to run, one after the other: with --hour one for each kind of members. */
    List<ChaosPlan> plans() {
        if (!switches.isHour()) {
            return List.of(plan(switches.mode(), Duration.ofNanos((long) (minutes * 60e9))));
        }
        ChaosPlan.Mode[] modes = ChaosPlan.Mode.values();
        return Stream.of(modes)
                .map(mode -> plan(mode, HOUR.dividedBy(modes.length)))
                .toList();
    }

    private ChaosPlan plan(ChaosPlan.Mode mode, Duration duration) {
        return new ChaosPlan(
                mode,
                seed == null ? new SplittableRandom().nextLong() : seed,
                duration,
                every,
                switches.kinds(brokers),
                brokers,
                members,
                partitions,
                keys,
                rate,
                work,
                concurrency,
                properties);
    }

    private Path place() {
        try {
            return directory == null ? Files.createTempDirectory("laneway-chaos-") : directory(directory);
        } catch (IOException failed) {
            throw new VerbFailure("cannot make a directory: " + failed, failed);
        }
    }

    private static Path directory(Path wanted) {
        try {
            return Files.createDirectories(wanted).toAbsolutePath();
        } catch (IOException failed) {
            throw new VerbFailure("cannot make a directory: " + failed, failed);
        }
    }

    private void delete(Path place) {
        try (Stream<Path> entries = Files.walk(place)) {
            List<Path> all = entries.sorted(Comparator.reverseOrder()).toList();
            for (Path entry : all) {
                Files.deleteIfExists(entry);
            }
        } catch (NoSuchFileException gone) {
            // It was already deleted.
        } catch (IOException failed) {
            errors().println("cannot delete " + place + ": " + failed);
        }
    }
}
