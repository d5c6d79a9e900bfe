package dev.laneway.ills;

import dev.laneway.ConfigurationException;
import dev.laneway.cli.program.Program;
import dev.laneway.cli.program.Rules;
import dev.laneway.cli.program.Verb;
import dev.laneway.cli.program.VerbFailure;
import dev.laneway.ops.observe.SourceFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Stages an illness until Ctrl-C. */
@Command(
        name = "ill",
        header = "Make a consumer group ill in a way of your choice, to try laneway check on it.",
        description = {
            "Starts a broker, a load, and the members of a group, each a process of its own, with one fault; prints"
                    + " the command that looks at them; and shows every few seconds how the group is. At the end all"
                    + " of it is gone, with its files.",
            "",
            "--list names the illnesses, with what is staged and the right verdict. Each can be had at two strengths,"
                    + " and healthy: the same without the fault, or with so little of it that nobody should act."
        },
        footer = {
            "",
            "Example: laneway ill slow-external-service --strength severe",
            "",
            "Exit codes: 0 ended by a signal or after --for, 1 failed, 2 usage."
        })
final class IllCommand extends Verb {
    private static final Duration STATUS_INTERVAL = Duration.ofSeconds(5);

    @Parameters(arity = "0..1", paramLabel = "NAME", description = "Which illness.")
    private @Nullable String name;

    @Option(names = "--list", description = "Name all illnesses, and end.")
    private boolean list;

    @Option(
            names = "--strength",
            paramLabel = "STRENGTH",
            description = "How ill: mild, severe or healthy (default: severe; with --check and --all each of them).")
    private @Nullable Strength strength;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            description = "End so long after it has been staged (default: run until Ctrl-C).")
    private @Nullable Duration length;

    @Option(
            names = "--check",
            description =
                    "Have the illness checked at all strengths, or at that of --strength, and end: whether laneway"
                            + " check gives the right verdict.")
    private boolean check;

    @Option(names = "--all", description = "The same for all illnesses, with the sums at the end. Takes an hour.")
    private boolean all;

    @Option(
            names = "--watch",
            paramLabel = "TIME",
            defaultValue = "35s",
            description = "How long each is watched with --check and --all (default: ${DEFAULT-VALUE}).")
    private Duration watched = Duration.ofSeconds(35);

    @Option(
            names = "--record",
            paramLabel = "DIR",
            description =
                    "Keep what is seen with --check and --all in this directory, for --replay, here and of check.")
    private @Nullable Path record;

    @Option(
            names = "--replay",
            paramLabel = "DIR",
            description = "With --check or --all: stage nothing, and judge what --record has kept in this directory.")
    private @Nullable Path replay;

    IllCommand(Streams streams) {
        super(streams);
    }

    @Override
    protected void check() {
        if (length != null) {
            Rules.positive("--for", length);
        }
        if (list && name != null) {
            throw new ConfigurationException("--list", "given", "must not be with a name", "leave one of them out");
        }
        if (all && name != null) {
            throw new ConfigurationException("--all", "given", "must not be with a name", "leave one of them out");
        }
        directory("--record", record, "create it");
        directory("--replay", replay, "give one that --record has filled");
        if (replay != null && !all && !check) {
            throw new ConfigurationException("--replay", "given", "needs --check or --all", "give one of them");
        }
        Rules.positive("--watch", watched);
        if (!list && !all) {
            var _ = illness();
        }
    }

    private static void directory(String option, @Nullable Path directory, String remedy) {
        if (directory != null && !Files.isDirectory(directory)) {
            throw new ConfigurationException(option, directory.toString(), "must be a directory that exists", remedy);
        }
    }

    private Strength strength() {
        return strength == null ? Strength.SEVERE : strength;
    }

    private Illness illness() {
        String wanted = name == null ? "" : name;
        return Illnesses.named(wanted)
                .orElseThrow(() -> new ConfigurationException(
                        "NAME",
                        wanted.isEmpty() ? "not given" : wanted,
                        "must be one of "
                                + Illnesses.all().stream().map(Illness::name).collect(Collectors.joining(", ")),
                        "laneway ill --list says what each is"));
    }

    @Override
    protected int run() throws InterruptedException {
        if (list) {
            list();
            return Program.FINE;
        }
        // Kafka brings Log4j, which logs an error if its shutdown hook is made while a signal ends this process.
        System.setProperty("log4j.shutdownHookEnabled", "false");
        if (all) {
            return trials(Illnesses.all());
        }
        if (check) {
            return trials(List.of(illness()));
        }
        Illness illness = illness();
        text().println("staging " + illness.name() + ", " + lower(strength()) + ": " + illness.sentence());
        try (Setting setting = untilStopped(() -> illness.start(strength()))) {
            describe(illness, setting);
            report(result(illness, setting));
            watch(setting);
        } catch (InterruptedException ended) {
            text().println("stopped");
        }
        return Program.FINE;
    }

    private int trials(List<Illness> illnesses) throws InterruptedException {
        List<Strength> strengths = strength == null ? List.of(Strength.values()) : List.of(strength);
        List<Trial> trials = new ArrayList<>();
        for (Illness illness : illnesses) {
            for (Strength each : strengths) {
                if (stop().await(Duration.ZERO)) {
                    break;
                }
                errors().println((replay == null ? "staging " : "replaying ") + illness.name() + ", " + lower(each)
                        + " (" + (trials.size() + 1) + " of " + illnesses.size() * strengths.size() + ")");
                Path file = record == null ? null : Trial.file(record, illness, each);
                Trial trial;
                try {
                    trial = replay == null
                            ? untilStopped(() -> Trial.of(illness, each, watched, file))
                            : replayed(illness, each, replay);
                } catch (InterruptedException ended) {
                    errors().println("stopped");
                    return sums(trials);
                }
                trials.add(trial);
                text().println(trial);
                if (!trial.isRight()) {
                    text().println("      " + trial.result().sentence());
                }
                text().flush();
            }
        }
        return sums(trials);
    }

    private static Trial replayed(Illness illness, Strength strength, Path directory) {
        Path file = Trial.file(directory, illness, strength);
        try {
            return Trial.replayed(illness, strength, file);
        } catch (SourceFailure failed) {
            throw new VerbFailure("--replay: " + failed.getMessage(), failed);
        }
    }

    private int sums(List<Trial> trials) {
        text().println();
        Matrix.lines(trials).forEach(text()::println);
        text().println(Matrix.sums(trials));
        report(trials.stream()
                .map(trial -> {
                    Map<String, Object> facts = facts(trial.illness());
                    facts.put("strength", lower(trial.strength()));
                    facts.put("verdict", trial.verdict());
                    facts.put("right", trial.isRight());
                    return facts;
                })
                .toList());
        return trials.stream().allMatch(Trial::isRight) ? Program.FINE : Program.FAILED;
    }

    /** What takes long. */
    private interface Step<T> {
        T take() throws InterruptedException;
    }

    /** Does something on this thread; a signal interrupts that at once. */
    private <T> T untilStopped(Step<T> step) throws InterruptedException {
        Thread verb = Thread.currentThread();
        Thread interrupter = Thread.ofPlatform().daemon().name("interrupter").start(() -> {
            try {
                while (!stop().await(STATUS_INTERVAL)) {
                    // Nobody has asked for the end.
                }
                verb.interrupt();
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            return step.take();
        } finally {
            interrupter.interrupt();
            interrupter.join();
        }
    }

    private void list() {
        int width = Illnesses.all().stream()
                .mapToInt(illness -> illness.name().length())
                .max()
                .orElse(0);
        List<Map<String, Object>> all = new ArrayList<>();
        for (Illness illness : Illnesses.all()) {
            text().printf(
                            "%-" + width + "s  %s%n%" + width + "s  right: %s%n",
                            illness.name(),
                            illness.sentence(),
                            "",
                            illness.cause().words());
            all.add(facts(illness));
        }
        report(all);
    }

    private static Map<String, Object> facts(Illness illness) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", illness.name());
        facts.put("sentence", illness.sentence());
        facts.put("cause", illness.cause().name());
        return facts;
    }

    private Map<String, Object> result(Illness illness, Setting setting) {
        Map<String, Object> result = facts(illness);
        result.put("strength", lower(strength()));
        result.put("group", setting.group());
        result.put("bootstrap", setting.bootstrap());
        result.put("pids", setting.pids());
        return result;
    }

    private void describe(Illness illness, Setting setting) {
        text().println("group      " + setting.group());
        text().println("bootstrap  " + setting.bootstrap());
        text().println("members    pid "
                + setting.pids().stream().map(String::valueOf).collect(Collectors.joining(", pid ")));
        text().println("right      "
                + (strength() == Strength.HEALTHY ? "healthy" : illness.cause().words()));
        text().println("try        laneway check --bootstrap " + setting.bootstrap() + " --group " + setting.group()
                + setting.pids().stream().map(pid -> " --pid " + pid).collect(Collectors.joining()));
        text().flush();
    }

    private void watch(Setting setting) throws InterruptedException {
        long start = System.nanoTime();
        Duration left = length == null ? STATUS_INTERVAL : length;
        while (!stop().await(left.compareTo(STATUS_INTERVAL) < 0 ? left : STATUS_INTERVAL)) {
            if (length != null) {
                left = length.minusNanos(System.nanoTime() - start);
                if (!left.isPositive()) {
                    return;
                }
            }
            text().println(setting.vitals());
            text().flush();
        }
    }

    private static String lower(Strength strength) {
        return strength.name().toLowerCase(Locale.ROOT);
    }
}
