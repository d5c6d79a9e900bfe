package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LagClockTest {
    private static final long SECOND = 1_000_000_000L;

    private final LagClock clock = new LagClock();

    @Test
    @DisplayName("B153 the lag in seconds is the time since the log ended where the group is, with lines between")
    void between() {
        clock.saw(100, 0);
        clock.saw(200, 10 * SECOND);
        clock.saw(400, 20 * SECOND);
        assertThat(clock.secondsSince(400, 20 * SECOND)).hasValue(0);
        assertThat(clock.secondsSince(500, 20 * SECOND)).hasValue(0);
        assertThat(clock.secondsSince(300, 20 * SECOND)).hasValue(5);
        assertThat(clock.secondsSince(150, 20 * SECOND)).hasValue(15);
        assertThat(clock.secondsSince(50, 20 * SECOND)).hasValue(20);
    }

    @Test
    @DisplayName("B153 a log that stands still makes a group that does not go on older and older")
    void standsStill() {
        clock.saw(100, 0);
        for (int i = 1; i <= 1_000; i++) {
            clock.saw(200, i * SECOND);
        }
        assertThat(clock.secondsSince(200, 1_000 * SECOND)).hasValue(0);
        assertThat(clock.secondsSince(199, 1_000 * SECOND).getAsDouble()).isBetween(998.0, 1_000.0);
    }

    @Test
    @DisplayName("B153 a long history is thinned out, and a log that was cut begins it anew")
    void thinned() {
        for (int i = 0; i <= 10_000; i++) {
            clock.saw(i, i * SECOND);
        }
        assertThat(clock.secondsSince(9_000, 10_000 * SECOND).getAsDouble()).isBetween(998.0, 1_002.0);
        assertThat(clock.secondsSince(100, 10_000 * SECOND).getAsDouble()).isBetween(9_800.0, 10_000.0);
        clock.saw(50, 10_001 * SECOND);
        assertThat(clock.secondsSince(50, 10_001 * SECOND)).hasValue(0);
        assertThat(new LagClock().secondsSince(1, 1)).isEmpty();
    }
}
