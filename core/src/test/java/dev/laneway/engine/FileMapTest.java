package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** DESIGN.md tells a reader where to look; a file that it leaves out, or that is gone, would mislead. */
class FileMapTest {
    private static final Path ENGINE = Path.of("src/main/java/dev/laneway/engine");
    private static final Path DESIGN = Path.of("../DESIGN.md");
    private static final Pattern ROW = Pattern.compile("^\\| `(\\w+)` \\|", Pattern.MULTILINE);

    @Test
    void theFileMapNamesEveryFileOfTheEngineOnce() throws IOException {
        String design = Files.readString(DESIGN);
        List<String> named =
                ROW.matcher(design).results().map(row -> row.group(1)).toList();

        assertThat(named)
                .as("rows of DESIGN.md's tables of files, of the form | `Engine` | what it answers |")
                .containsExactlyInAnyOrderElementsOf(files());
    }

    private static List<String> files() throws IOException {
        try (var files = Files.walk(ENGINE)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java") && !name.equals("package-info.java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .sorted()
                    .toList();
        }
    }
}
