package dev.laneway.ops.size;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LagWindowTest {
    /** 1,000 records a second come; a share of them is handled, and committed once in so many seconds. */
    private static List<LagPoint> points(double handled, double commitSeconds, double seconds) {
        List<LagPoint> points = new ArrayList<>();
        for (int i = 0; i <= seconds * 10; i++) {
            double at = i / 10.0;
            double committed = 1_000 * handled * Math.floor(at / commitSeconds) * commitSeconds;
            points.add(new LagPoint(at, 1_000 * at, 1_000 * at - committed, committed));
        }
        return points;
    }

    @ParameterizedTest
    @CsvSource({"1.0, KEEPS_UP", "0.995, KEEPS_UP", "0.98, FALLS_BEHIND", "0.5, FALLS_BEHIND", "0, FALLS_BEHIND"})
    @DisplayName("B183 a lag that grows by 1 % of the load is not sustained, though commits make it a saw")
    void slope(double handled, LagWindow.Pace pace) {
        LagWindow window = LagWindow.of(points(handled, 1, 10));
        assertThat(window.pace()).isEqualTo(pace);
        assertThat(window.likelyPace()).isEqualTo(pace);
        assertThat(window.offered()).isCloseTo(1_000, within(1e-9));
        assertThat(window.handled()).isCloseTo(1_000 * handled, within(1.0));
    }

    @Test
    @DisplayName("B183 with fewer than four commits it is not clear, and more time tells")
    void fewCommits() {
        assertThat(LagWindow.of(points(1, 5, 12)).pace()).isEqualTo(LagWindow.Pace.UNCLEAR);
        assertThat(LagWindow.of(points(1, 5, 21)).pace()).isEqualTo(LagWindow.Pace.KEEPS_UP);
        assertThat(LagWindow.of(points(0.9, 5, 21)).pace()).isEqualTo(LagWindow.Pace.FALLS_BEHIND);
    }

    @Test
    @DisplayName("B183 a lag that jumps about is unclear rather than growing")
    void noisy() {
        List<LagPoint> points = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            double lag = 500 + (i % 3 == 0 ? 400 : 0) + 12 * i;
            points.add(new LagPoint(i, 1_000.0 * i, lag, 1_000.0 * i - lag + 1_000));
        }
        assertThat(LagWindow.of(points).pace()).isEqualTo(LagWindow.Pace.UNCLEAR);
    }

    @Test
    @DisplayName("B183 without points nothing is known")
    void empty() {
        assertThat(LagWindow.of(List.of()).pace()).isEqualTo(LagWindow.Pace.UNCLEAR);
    }
}
