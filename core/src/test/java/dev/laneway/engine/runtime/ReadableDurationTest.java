package dev.laneway.engine.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReadableDurationTest {
    @Test
    @DisplayName("B117 durations in the log are in units that people use")
    void units() {
        assertThat(ReadableDuration.of(Duration.ZERO)).isEqualTo("0 ms");
        assertThat(ReadableDuration.of(Duration.ofNanos(1_000))).isEqualTo("less than 1 ms");
        assertThat(ReadableDuration.of(Duration.ofNanos(86_018_309))).isEqualTo("86 ms");
        assertThat(ReadableDuration.of(Duration.ofMillis(1_540))).isEqualTo("1.5 s");
        assertThat(ReadableDuration.of(Duration.ofSeconds(30))).isEqualTo("30 s");
        assertThat(ReadableDuration.of(Duration.ofMinutes(5))).isEqualTo("5 min");
        assertThat(ReadableDuration.of(Duration.ofDays(36_500))).isEqualTo("876000 h");
    }
}
