package dev.laneway.ops.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/check.md has the tables that the rules make. */
class CheckDocTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "check.md");

    @Test
    void rules() throws IOException {
        assertThat(Files.readString(DOCUMENT))
                .contains("| rule | if all is well | needs |\n|---|---|---|\n"
                        + Arrays.stream(RuleId.values())
                                .map(rule -> "| " + rule + " | " + rule.title() + " | "
                                        + rule.need().words() + " |\n")
                                .collect(Collectors.joining()));
    }

    @Test
    void causes() throws IOException {
        assertThat(Files.readString(DOCUMENT))
                .contains("| verdict | | meaning |\n|---|---|---|\n"
                        + Arrays.stream(Cause.values())
                                .map(cause -> "| `"
                                        + cause.name().toLowerCase(Locale.ROOT).replace('_', '-') + "` | "
                                        + cause.kind().name().toLowerCase(Locale.ROOT) + " | " + cause.words() + " |\n")
                                .collect(Collectors.joining()));
    }

    @Test
    void thresholds() throws IOException {
        assertThat(Files.readString(DOCUMENT))
                .contains("| threshold | usual | |\n|---|---|---|\n"
                        + Arrays.stream(Threshold.values())
                                .map(threshold -> "| `" + threshold.key() + "` | " + number(threshold.usual()) + " | "
                                        + threshold.meaning() + " |\n")
                                .collect(Collectors.joining()));
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
