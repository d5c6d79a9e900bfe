package dev.laneway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What threads share without a lock, looked at for a short time. {@code ./laneway prove --memory} takes longer. */
@DisplayName("The memory model")
class MemoryModelTest {
    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final int MOST_MINUTES = 5;

    @Test
    @DisplayName("lets no test of jcstress see what must not be")
    void holds() throws Exception {
        Path output = TARGET.resolve("memory.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        MemoryModel.class.getName(),
                        "--short")
                .directory(TARGET.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(MOST_MINUTES, TimeUnit.MINUTES);
        process.destroyForcibly();
        List<String> tests = Files.readAllLines(output).stream()
                .filter(line -> line.contains(" times: "))
                .toList();
        assertThat(ended).as("it ended; see " + output).isTrue();
        assertThat(tests).as("see " + output).hasSizeGreaterThan(10).allMatch(line -> line.endsWith("as it must be"));
        assertThat(process.exitValue()).as("see " + output).isZero();
    }
}
