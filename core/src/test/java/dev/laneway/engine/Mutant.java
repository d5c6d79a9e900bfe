package dev.laneway.engine;

import dev.laneway.engine.sim.SimTheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A bug that was planted on purpose, kept as a patch of one source file. Immutable.
 *
 * <p>Above the patch stand lines about it: {@code # B14 what it breaks}, and below that, if the simulation of all
 * themes is not what must find it, one of {@code # Theme: STORM}, {@code # Test: dev.laneway.CommitTest}, with a
 * {@code #method} behind the class where one method is enough, and {@code # Stress: GuardStress.Entered}.
 *
 * @param name the patch's, without its ending
 * @param promise the promise that the bug breaks, its B-number first
 * @param finder who must find it
 * @param file the source, from the repository's root on
 */
record Mutant(String name, String promise, Finder finder, String file, List<Hunk> hunks) {
    private static final String ENDING = ".patch";
    private static final String TEST = "# Test: ";
    private static final String THEME = "# Theme: ";
    private static final String STRESS = "# Stress: ";

    /** Who must find a bug. */
    sealed interface Finder {
        /** The simulation, with seeds of all themes. */
        record AllThemes() implements Finder {}

        /** The simulation, with seeds of one theme. */
        record OneTheme(SimTheme theme) implements Finder {}

        /**
         * A test of this module.
         *
         * @param type the class's full name
         * @param method the only one to run, as JUnit names it; empty for all
         */
        record OneTest(String type, String method) implements Finder {}

        /**
         * A test of the memory model, in module stress.
         *
         * @param test the simple names of its class and of the class around that
         */
        record OneStress(String test) implements Finder {}
    }

    /** Lines that are replaced by others; those around them are part of both. */
    record Hunk(String before, String after) {}

    /** All of them, in the order of their names. */
    static List<Mutant> all(Path root) throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("core/src/test/mutants"))) {
            List<Mutant> all = new ArrayList<>();
            for (Path file : files.filter(one -> one.toString().endsWith(ENDING))
                    .sorted()
                    .toList()) {
                all.add(read(file));
            }
            return all;
        }
    }

    private static Mutant read(Path patch) throws IOException {
        String name = patch.getFileName().toString();
        List<String> lines = Files.readAllLines(patch);
        int header = 0;
        while (header < lines.size() && lines.get(header).startsWith("#")) {
            header++;
        }
        boolean isPatch = lines.size() > header + 2 && lines.get(header + 1).startsWith("+++ b/");
        if (header < 1 || header > 2 || !lines.get(0).startsWith("# ") || !isPatch) {
            throw new IllegalStateException(
                    patch + " must begin with a line \"# B1 what it breaks\", then may say in one line who finds it,"
                            + " and must go on with a unified diff of one file from the repository's root on");
        }
        List<Hunk> hunks = new ArrayList<>();
        StringBuilder before = new StringBuilder();
        StringBuilder after = new StringBuilder();
        for (String line : lines.subList(header + 2, lines.size())) {
            if (line.startsWith("@@")) {
                add(hunks, before, after);
                continue;
            }
            String text = line.isEmpty() ? "\n" : line.substring(1) + "\n";
            if (!line.startsWith("+")) {
                before.append(text);
            }
            if (!line.startsWith("-")) {
                after.append(text);
            }
        }
        add(hunks, before, after);
        return new Mutant(
                name.substring(0, name.length() - ENDING.length()),
                lines.get(0).substring(2),
                header == 1 ? new Finder.AllThemes() : finder(patch, lines.get(1)),
                lines.get(header + 1).substring(6),
                List.copyOf(hunks));
    }

    private static Finder finder(Path patch, String line) {
        if (line.startsWith(TEST)) {
            String[] named = line.substring(TEST.length()).strip().split("#", 2);
            return new Finder.OneTest(named[0], named.length == 1 ? "" : named[1]);
        }
        if (line.startsWith(THEME)) {
            String theme = line.substring(THEME.length()).strip();
            return new Finder.OneTheme(List.of(SimTheme.values()).stream()
                    .filter(one -> one.name().equals(theme))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(
                            patch + ": there is no theme '" + theme + "'; it must be one of SimTheme's")));
        }
        if (line.startsWith(STRESS)) {
            return new Finder.OneStress(line.substring(STRESS.length()).strip());
        }
        throw new IllegalStateException(patch + ": the second line is '" + line + "' but must be \"" + TEST
                + "a class\", \"" + THEME + "one of SimTheme's\" or \"" + STRESS + "a test of jcstress\"");
    }

    private static void add(List<Hunk> hunks, StringBuilder before, StringBuilder after) {
        if (!before.isEmpty()) {
            hunks.add(new Hunk(before.toString(), after.toString()));
        }
        before.setLength(0);
        after.setLength(0);
    }

    /**
     * The source with the bug in it.
     *
     * @throws IllegalStateException if the patch does not apply: what it replaces is not there, or twice
     */
    String apply(Path root) throws IOException {
        String source = Files.readString(root.resolve(file));
        for (Hunk hunk : hunks) {
            int at = source.indexOf(hunk.before);
            if (at < 0 || source.indexOf(hunk.before, at + 1) >= 0) {
                throw new IllegalStateException("mutant " + name + " does not apply to " + file
                        + ": make the patch anew, with the lines as they are now");
            }
            source = source.substring(0, at) + hunk.after + source.substring(at + hunk.before.length());
        }
        return source;
    }
}
