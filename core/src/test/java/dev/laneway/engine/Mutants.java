package dev.laneway.engine;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * {@code ./laneway prove --mutants}: plants one bug after the other into a copy of its source file, compiles that, and
 * runs the simulation on it, or the test that it names, in a JVM of its own, which must find it.
 */
final class Mutants {
    private static final int MOST_MINUTES = 10;
    private static final String SEPARATOR = System.getProperty("path.separator");
    /** Why a seed failed: what a check found, or that a task loops, which no check can see. */
    private static final Pattern FOUND = Pattern.compile("seed (\\d+) \\((\\w+)\\) failed: .*?"
            + "((?<=AssertionError: )(?!simulation failed).*|task \\d+ has kept the token.*|no progress: .*)");

    /** What JUnit says of a test that failed. */
    private static final Pattern FAILED = Pattern.compile(
            "MethodSource \\[className = '[\\w.$]*?(\\w+)', methodName = '(\\w+)'.*\\R\\s*=> ([\\s\\S]{1,200})");

    /** What the tests of the memory model say, see MemoryModel in module stress. */
    private static final Pattern FORBIDDEN =
            Pattern.compile("(?m)^(\\w+)\\.(\\w+) .*? times: ((?:FORBIDDEN|it failed:) .*)$");

    private static final int MOST_OF_A_REASON = 90;

    private final Path root;
    private final long seeds;
    private final int threads;

    Mutants(Path root, long seeds, int threads) {
        this.root = root;
        this.seeds = seeds;
        this.threads = threads;
    }

    /** Those whose name, or the number in it, this is; all if it is empty. */
    List<Mutant> named(String only) throws IOException {
        return Mutant.all(root).stream()
                .filter(mutant -> only.isEmpty()
                        || mutant.name().equals(only)
                        || mutant.name().startsWith(only + "-"))
                .toList();
    }

    /** Prints a table; returns whether each was caught. */
    boolean run(List<Mutant> all) throws IOException, InterruptedException {
        int caught = 0;
        for (Mutant mutant : all) {
            String by = caughtBy(mutant);
            caught += by.startsWith("NOT ") ? 0 : 1;
            System.out.printf(Locale.ROOT, "%-48s %s%n    breaks %s%n", mutant.name(), by, mutant.promise());
        }
        System.out.println(caught + " of " + all.size() + " mutants were caught");
        return caught == all.size();
    }

    private String caughtBy(Mutant mutant) throws IOException, InterruptedException {
        Path classes =
                Files.createDirectories(root.resolve("core/target/mutants").resolve(mutant.name()));
        String complaint = compile(mutant, root, classes);
        if (!complaint.isEmpty()) {
            return "NOT TRIED: " + complaint;
        }
        Path output = classes.resolve("output.txt");
        Process process = new ProcessBuilder(command(mutant, classes))
                .directory(directory(mutant.finder(), classes).toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            return "NOT CAUGHT: the run had no end, see " + output;
        }
        if (process.exitValue() != 1) {
            return "NOT CAUGHT by " + by(mutant.finder()) + ", exit code " + process.exitValue() + ", see " + output;
        }
        String found = found(mutant.finder(), Files.readString(output, StandardCharsets.UTF_8));
        return found.isEmpty() ? "NOT CAUGHT: the run failed otherwise, see " + output : "caught by " + found;
    }

    /** Tests expect that of their module; jcstress writes into whatever it is. */
    private Path directory(Mutant.Finder finder, Path classes) {
        return finder instanceof Mutant.Finder.OneStress ? classes : root.resolve("core");
    }

    private String by(Mutant.Finder finder) {
        return switch (finder) {
            case Mutant.Finder.AllThemes _ -> seeds + " seeds";
            case Mutant.Finder.OneTheme one -> seeds + " seeds of " + one.theme();
            case Mutant.Finder.OneTest test -> test.type();
            case Mutant.Finder.OneStress stress -> stress.test();
        };
    }

    private List<String> command(Mutant mutant, Path classes) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx1g",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Dlaneway.root=" + root,
                "-cp",
                classes + SEPARATOR + classPath(mutant.finder())));
        command.addAll(
                switch (mutant.finder()) {
                    case Mutant.Finder.AllThemes _ -> simulation(seeds);
                    case Mutant.Finder.OneTheme one -> {
                        List<String> ofTheme =
                                new ArrayList<>(simulation(seeds * one.theme().oneIn())); // As many are of it.
                        ofTheme.addAll(List.of("--theme", one.theme().name()));
                        yield ofTheme;
                    }
                    case Mutant.Finder.OneTest test -> test(test);
                    case Mutant.Finder.OneStress stress ->
                        List.of("dev.laneway.engine.MemoryModel", "--short", "--only", stress.test());
                });
        return command;
    }

    /** The tests of the memory model are in a module of their own, which {@code ./laneway prove --mutants} builds. */
    private String classPath(Mutant.Finder finder) throws IOException {
        String own = System.getProperty("java.class.path");
        if (!(finder instanceof Mutant.Finder.OneStress)) {
            return own;
        }
        Path stress = root.resolve("stress/target");
        return stress.resolve("classes") + SEPARATOR + own + SEPARATOR + Files.readString(stress.resolve("classpath"));
    }

    private List<String> simulation(long count) {
        return List.of(Prove.class.getName(), "--seeds", Long.toString(count), "--threads", Integer.toString(threads));
    }

    private static List<String> test(Mutant.Finder.OneTest test) {
        return List.of(
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--disable-banner",
                "--disable-ansi-colors",
                "--details=none",
                "--fail-if-no-tests",
                "--config=jqwik.reporting.onlyfailures=true",
                "--config=jqwik.database=target/jqwik-database",
                test.method().isEmpty() ? "--select-class=" + test.type() : "--select-method=" + selector(test));
    }

    /** JUnit finds a method by its name and the types of its parameters. */
    static String selector(Mutant.Finder.OneTest test) {
        try {
            return Stream.of(Class.forName(test.type(), false, Mutants.class.getClassLoader())
                            .getDeclaredMethods())
                    .filter(method -> method.getName().equals(test.method()))
                    .findFirst()
                    .map(method -> test.type() + "#" + test.method()
                            + Stream.of(method.getParameterTypes())
                                    .map(Class::getName)
                                    .collect(Collectors.joining(",", "(", ")")))
                    .orElseThrow();
        } catch (ClassNotFoundException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** Empty if the output does not tell. */
    static String found(Mutant.Finder finder, String output) {
        Pattern says = switch (finder) {
            case Mutant.Finder.AllThemes _, Mutant.Finder.OneTheme _ -> FOUND;
            case Mutant.Finder.OneTest _ -> FAILED;
            case Mutant.Finder.OneStress _ -> FORBIDDEN;
        };
        Matcher found = says.matcher(output);
        if (!found.find()) {
            return "";
        }
        String why = found.group(3).strip().replaceAll("\\s+", " ");
        why = why.substring(0, Math.min(MOST_OF_A_REASON, why.length()));
        return says.equals(FOUND)
                ? "seed " + found.group(1) + " (" + found.group(2) + "): " + why
                : found.group(1) + "." + found.group(2) + ": " + why;
    }

    /** Empty when it applies and compiles. */
    static String compile(Mutant mutant, Path root, Path classes) throws IOException {
        String source;
        try {
            source = mutant.apply(root);
        } catch (IllegalStateException stale) {
            return stale.getMessage();
        }
        String name = Path.of(mutant.file()).getFileName().toString();
        Path copy = Files.writeString(classes.resolve(name), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            List<String> options = new ArrayList<>(List.of("-proc:none", "-nowarn", "-Xlint:none"));
            options.addAll(List.of("-classpath", ofSources(), "-d", classes.toString()));
            boolean compiled = compiler.getTask(complaints, files, null, options, null, files.getJavaFileObjects(copy))
                    .call();
            return compiled ? "" : "it does not compile: " + complaints;
        }
    }

    /** What the sources need; whoever runs tests may have class loaders of their own. */
    private static String ofSources() {
        return Stream.of(Engine.class, Consumer.class, Logger.class, Nullable.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                .map(location -> Path.of(URI.create(location.toString())).toString())
                .collect(Collectors.joining(SEPARATOR));
    }
}
