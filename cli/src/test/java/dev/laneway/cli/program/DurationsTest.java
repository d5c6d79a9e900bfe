package dev.laneway.cli.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationsTest {
    private final Durations durations = new Durations();

    @ParameterizedTest
    @CsvSource({
        "0,PT0S",
        "500us,PT0.0005S",
        "10ms,PT0.01S",
        "1.5s,PT1.5S",
        "2m,PT2M",
        "1h,PT1H",
        "0.25ms,PT0.00025S",
        "876000h,PT876000H"
    })
    @DisplayName("A number and a unit are read exactly")
    void readsNumberAndUnit(String text, Duration expected) {
        assertThat(durations.convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "10", "ms", "-1s", "1 s", "1S", "1d", "1e3ms", "PT1S", "NaNs", "999999999999h", "876001h"})
    @DisplayName("Anything else is refused, with the rule and an example")
    void refusesTheRest(String text) {
        assertThatThrownBy(() -> durations.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("must be")
                .hasMessageContaining(":");
    }

    @Property(tries = 200)
    void readsWholeMillisecondsBack(@ForAll @LongRange(min = 0, max = 999_999_999_999L) long millis) {
        assertThat(durations.convert(millis + "ms")).isEqualTo(Duration.ofMillis(millis));
    }
}
