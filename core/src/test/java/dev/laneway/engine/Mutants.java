package dev.laneway.engine;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * {@code ./laneway prove --mutants}: plants one bug after the other into a copy of its source file, compiles that, and
 * runs the simulation on it in a JVM of its own, which must find it.
 */
final class Mutants {
    private static final int MOST_MINUTES = 10;
    private static final Pattern FOUND =
            Pattern.compile("seed (\\d+) \\((\\w+)\\) failed: .*?AssertionError: (?!simulation failed)(.*)");

    private final Path root;
    private final long seeds;
    private final int threads;

    Mutants(Path root, long seeds, int threads) {
        this.root = root;
        this.seeds = seeds;
        this.threads = threads;
    }

    /** Prints a table; returns whether each was caught. */
    boolean run() throws IOException, InterruptedException {
        List<Mutant> all = Mutant.all(root);
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
        String complaint;
        try {
            complaint = compile(mutant.apply(root), mutant, classes);
        } catch (IllegalStateException stale) {
            complaint = stale.getMessage();
        }
        if (!complaint.isEmpty()) {
            return "NOT TRIED: " + complaint;
        }
        String path = classes + System.getProperty("path.separator") + System.getProperty("java.class.path");
        Path output = classes.resolve("output.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-ea",
                        "-cp",
                        path,
                        Prove.class.getName(),
                        "--seeds",
                        Long.toString(seeds),
                        "--threads",
                        Integer.toString(threads))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            return "NOT CAUGHT: the run had no end";
        }
        return process.exitValue() == 1
                ? found(Files.readString(output, StandardCharsets.UTF_8))
                : "NOT CAUGHT by " + seeds + " seeds, exit code " + process.exitValue() + ", see " + output;
    }

    private static String found(String output) {
        Matcher found = FOUND.matcher(output);
        if (!found.find()) {
            return "NOT CAUGHT: the run failed otherwise";
        }
        String why = found.group(3);
        return "caught by seed " + found.group(1) + " (" + found.group(2) + "): "
                + why.substring(0, Math.min(90, why.length()));
    }

    /** Empty when it compiles. */
    private String compile(String source, Mutant mutant, Path classes) throws IOException {
        String name = Path.of(mutant.file()).getFileName().toString();
        Path copy = Files.writeString(classes.resolve(name), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            List<String> options = new ArrayList<>(List.of("-proc:none", "-nowarn", "-Xlint:none"));
            options.addAll(List.of("-classpath", System.getProperty("java.class.path"), "-d", classes.toString()));
            boolean compiled = compiler.getTask(complaints, files, null, options, null, files.getJavaFileObjects(copy))
                    .call();
            return compiled ? "" : "it does not compile: " + complaints;
        }
    }
}
