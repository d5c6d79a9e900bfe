package dev.laneway.build;

import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Formats the sources of the repository: palantir-java-format, 120 columns, Javadoc included, imports sorted and unused
 * ones removed.
 *
 * <p>It runs on the JDK that compiles the sources, not on the one Maven happens to run on: the formatter parses with
 * the javac of its own JVM, and an older one does not know the newer syntax.
 */
final class Format {
    private static final Formatter FORMATTER = Formatter.createFormatter(JavaFormatterOptions.builder()
            .style(JavaFormatterOptions.Style.PALANTIR)
            .formatJavadoc(true)
            .build());

    private Format() {}

    /** Rewrites what is not formatted below {@code args[0]}, and says which files those were. */
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        for (Path file : Sources.in(root)) {
            String before = Sources.read(file);
            String after = formatted(file, before);
            if (!before.equals(after)) {
                Files.writeString(file, after);
                System.out.println("formatted " + root.relativize(file));
            }
        }
    }

    /**
     * The formatted text of {@code file}.
     *
     * @throws IllegalArgumentException if {@code text} is not Java
     */
    static String formatted(Path file, String text) {
        try {
            return FORMATTER.formatSourceAndFixImports(text);
        } catch (FormatterException e) {
            throw new IllegalArgumentException(file + " does not parse: " + e.getMessage(), e);
        }
    }
}
