package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Compares docs/configuration.md with the code, and so pins every default. */
class ConfigurationDocTest {
    private static final Path DOC = Path.of("../docs/configuration.md");
    private static final Pattern ROW = Pattern.compile(
            "^\\| `(?<option>\\w+)` \\| `(?<value>[^`]+)`(?<note>[^|]*) \\| (?<unit>[^|]+) \\| (?<why>.+) \\|$");
    private static final Map<String, String> BUILDER_NAMES =
            Map.of("failurePolicy", "onFailure", "startPosition", "startAt");

    /** What a row of the table says. */
    private record Row(String value, String note, String unit, String why) {}

    @Test
    @DisplayName("the table has a row for each option, in the order of the code, with its default in code")
    void tableHasEachOptionWithItsDefault() throws Exception {
        Map<String, String> defaults = new LinkedHashMap<>();
        defaults().forEach((option, value) -> defaults.put(option, text(value)));
        Map<String, String> documented = new LinkedHashMap<>();
        rows().forEach((option, row) -> documented.put(option, row.value()));
        assertThat(documented).isEqualTo(defaults);
        assertThat(documented.keySet()).containsExactlyElementsOf(defaults.keySet());
    }

    @Test
    @DisplayName("each row has a unit and a reason, and says what a default of null or 0 means")
    void rowsAreComplete() throws IOException {
        rows().forEach((option, row) -> {
            assertThat(row.unit()).as("unit of %s", option).isNotBlank();
            assertThat(row.why()).as("reason of %s", option).hasSizeGreaterThan(20);
            if (Set.of("null", "0").contains(row.value())) {
                assertThat(row.note())
                        .as("what the default of %s means", option)
                        .startsWith(": ");
            }
        });
    }

    @Test
    @DisplayName("the sizes that the table gives for bufferRecords are those that the code makes")
    void sizedBufferIsAsDocumented() throws IOException {
        assertThat(rows().get("bufferRecords").note())
                .contains("at least " + "%,d".formatted(sized(1)))
                .contains("at most " + "%,d".formatted(sized(10_000_000)))
                .contains(sized(10_000) / 10_000 + " per worker");
    }

    @Test
    @DisplayName("the builder has a method for each option, of the same name but for the two that the page names")
    void builderHasEachOption() throws Exception {
        List<String> methods = Arrays.stream(LanewayBuilder.class.getMethods())
                .map(method -> method.getName())
                .toList();
        String page = Files.readString(DOC);
        for (String option : defaults().keySet()) {
            assertThat(methods).contains(BUILDER_NAMES.getOrDefault(option, option));
        }
        BUILDER_NAMES.forEach((option, method) -> assertThat(page).contains("`" + option + "`", "`" + method + "("));
    }

    private static int sized(int concurrency) {
        return Options.DEFAULTS.withConcurrency(concurrency).bufferRecordsOrSized();
    }

    /** The defaults, those of the limits after the others. */
    private static Map<String, Object> defaults() throws ReflectiveOperationException {
        Map<String, Object> defaults = new LinkedHashMap<>();
        for (RecordComponent option : Options.class.getRecordComponents()) {
            defaults.put(option.getName(), option.getAccessor().invoke(Options.DEFAULTS));
        }
        assertThat(defaults.remove("limits")).isEqualTo(Limits.DEFAULTS);
        for (RecordComponent limit : Limits.class.getRecordComponents()) {
            defaults.put(limit.getName(), limit.getAccessor().invoke(Limits.DEFAULTS));
        }
        return defaults;
    }

    private static Map<String, Row> rows() throws IOException {
        return Files.readString(DOC)
                .lines()
                .map(ROW::matcher)
                .filter(row -> row.matches())
                .collect(Collectors.toMap(
                        row -> row.group("option"),
                        row -> new Row(row.group("value"), row.group("note"), row.group("unit"), row.group("why")),
                        (first, second) -> {
                            throw new IllegalStateException("two rows for one option: " + first + ", " + second);
                        },
                        LinkedHashMap::new));
    }

    /** A default as the page writes it. */
    private static String text(Object value) {
        return switch (value) {
            case null -> "null";
            case Duration duration -> text(duration);
            case Long bytes -> (bytes >> 20) + " MiB";
            case CommitMode.Async(Duration interval) -> "async every " + text(interval);
            case FailurePolicy policy -> text(policy);
            case Workers.Virtual() -> "virtual";
            case StartPosition.Committed() -> "committed";
            default -> value.toString();
        };
    }

    private static String text(Duration duration) {
        if (duration.toSeconds() >= 60) {
            return duration.toMinutes() + " min";
        }
        return duration.toMillis() % 1_000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }

    private static String text(FailurePolicy policy) {
        Backoff backoff = policy.backoff().orElseThrow();
        assertThat(policy.maxAttempts()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.last()).isEqualTo(new FailurePolicy.Last.Stop());
        return "retry for ever, " + text(backoff.first()) + " to " + text(backoff.max()) + ", then stop";
    }
}
