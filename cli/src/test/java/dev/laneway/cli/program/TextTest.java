package dev.laneway.cli.program;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {
    @ParameterizedTest
    @CsvSource({
        "0,0 ms",
        "0us,0 ms",
        "500us,500 us",
        "10ms,10 ms",
        "999ms,999 ms",
        "1s,1 s",
        "1500ms,1.5 s",
        "9999ms,10 s",
        "12s,12 s",
        "65s,1 min 5 s",
        "3700s,1 h 1 min"
    })
    @DisplayName("Durations are written in the units that matter")
    void writesDurations(String duration, String expected) {
        assertThat(Text.duration(new Durations().convert(duration))).isEqualTo(expected);
    }

    @Test
    @DisplayName("Counts have thousands, small rates a digit after the point")
    void writesNumbers() {
        assertThat(Text.count(1_234_567)).isEqualTo("1,234,567");
        assertThat(Text.rate(97.04)).isEqualTo("97.0");
        assertThat(Text.rate(98_765.4)).isEqualTo("98,765");
        assertThat(Text.percent(0.978)).isEqualTo("97.8 %");
    }
}
