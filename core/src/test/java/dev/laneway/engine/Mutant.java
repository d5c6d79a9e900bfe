package dev.laneway.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A bug that was planted on purpose, kept as a patch of one source file. Immutable.
 *
 * @param name the patch's, without its ending
 * @param promise the promise that the bug breaks, its B-number first
 * @param file the source, from the repository's root on
 */
record Mutant(String name, String promise, String file, List<Hunk> hunks) {
    private static final String ENDING = ".patch";

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
        if (lines.size() < 5 || !lines.get(0).startsWith("# ") || !lines.get(2).startsWith("+++ b/")) {
            throw new IllegalStateException(patch + " must begin with a line \"# B1 what it breaks\" and be a unified"
                    + " diff of one file from the repository's root on");
        }
        List<Hunk> hunks = new ArrayList<>();
        StringBuilder before = new StringBuilder();
        StringBuilder after = new StringBuilder();
        for (String line : lines.subList(3, lines.size())) {
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
                lines.get(2).substring(6),
                List.copyOf(hunks));
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
