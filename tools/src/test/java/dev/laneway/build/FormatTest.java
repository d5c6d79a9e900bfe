package dev.laneway.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FormatTest {
    private static final Path ROOT = Path.of("..");

    @Test
    void everySourceIsFormatted() {
        assertThat(Sources.in(ROOT))
                .filteredOn(file -> {
                    String text = Sources.read(file);
                    return !text.equals(Format.formatted(file, text));
                })
                .as("files that are not formatted; `./laneway format` formats them")
                .isEmpty();
    }

    @Test
    void readsTheSyntaxOfTheRelease() {
        String source = """
            class Pair extends Object {
                Pair(Object o) { if (o == null) throw new IllegalArgumentException(); super(); }
                static String show(Object o) {
                    return switch (o) { case Box(String l, var _) when l.isEmpty() -> "empty"; default -> "other"; };
                }
            }
            """;

        assertThat(Format.formatted(Path.of("Pair.java"), source))
                .contains("throw new IllegalArgumentException();\n        super();\n")
                .contains("            case Box(String l, var _) when l.isEmpty() -> \"empty\";\n");
    }

    @Test
    void dropsUnusedImports() {
        String source = "import java.util.List;\nimport java.util.Map;\n\nclass A {\n    Map<String, String> m;\n}\n";

        assertThat(Format.formatted(Path.of("A.java"), source))
                .doesNotContain("java.util.List")
                .contains("java.util.Map");
    }

    @Test
    void breaksLongJavadoc() {
        String source = "/** " + "word ".repeat(40) + "*/\nclass A {}\n";

        assertThat(Format.formatted(Path.of("A.java"), source).lines()).allMatch(line -> line.length() <= 120);
    }

    @Test
    void namesTheFileThatDoesNotParse() {
        assertThatThrownBy(() -> Format.formatted(Path.of("core/Broken.java"), "class {"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("core/Broken.java does not parse");
    }
}
