package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** Debian's promtool, which checks text, rules and tests of rules; metrics/src/test/prometheus/install brings it. */
final class Promtool {
    private static final Path TOOL = Path.of("/usr/bin/promtool");

    /** What it said, and how it ended. */
    record Answer(int exitCode, String said) {
        Answer mustPass() {
            assertThat(exitCode).as(said).isZero();
            return this;
        }
    }

    private Promtool() {}

    /** Runs it; the test is left out where there is none. */
    static Answer run(@Nullable Path input, String... arguments) throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(TOOL), "promtool comes with Debian's package prometheus");
        List<String> command =
                Stream.concat(Stream.of(TOOL.toString()), Stream.of(arguments)).toList();
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        if (input != null) {
            builder.redirectInput(input.toFile());
        }
        Process process = builder.start();
        try (var output = process.getInputStream()) {
            String said = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return new Answer(process.exitValue(), said);
        } finally {
            process.destroyForcibly();
        }
    }
}
