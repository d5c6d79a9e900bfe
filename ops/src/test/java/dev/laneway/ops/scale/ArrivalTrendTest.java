package dev.laneway.ops.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.scale.ArrivalTrend.Count;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArrivalTrendTest {
    private static final Count EARLIER = new Count(1_000, 50);

    @Test
    @DisplayName("B161 a step counts from the second look on, with the rate of the latest")
    void step() {
        Count usual = new Count(100, 5);
        assertThat(ArrivalTrend.of(EARLIER, usual, new Count(180, 5))).isEqualTo(new ArrivalTrend(null, true));
        assertThat(ArrivalTrend.of(EARLIER, new Count(180, 5), new Count(300, 5)))
                .isEqualTo(new ArrivalTrend(60.0, false));
        assertThat(ArrivalTrend.of(EARLIER, new Count(300, 5), usual)).isEqualTo(ArrivalTrend.NONE);
        assertThat(ArrivalTrend.of(EARLIER, usual, usual)).isEqualTo(ArrivalTrend.NONE);
    }

    @Test
    @DisplayName("B161 what is no time, or nothing, is no rise")
    void nothing() {
        assertThat(ArrivalTrend.of(Count.NONE, Count.NONE, new Count(9_000, 5))).isEqualTo(ArrivalTrend.NONE);
        assertThat(ArrivalTrend.of(new Count(0, 50), new Count(0, 5), new Count(4, 5)))
                .as("a few records after none")
                .isEqualTo(ArrivalTrend.NONE);
        assertThat(ArrivalTrend.of(new Count(1e6, 50), new Count(1e5, 5), new Count(1.19e5, 5)))
                .as("certain, but small")
                .isEqualTo(ArrivalTrend.NONE);
        assertThat(new Count(3, 5).plus(new Count(4, 5))).isEqualTo(new Count(7, 5));
    }

    @ParameterizedTest
    @CsvSource({"2, 50, 5", "50, 50, 5", "50, 1, 1", "50, 2, 1", "50, 5, 1", "1000, 1, 1"})
    @DisplayName("B161 chance alone is a rise less than once in a thousand looks, of however short a time before them")
    void chance(double rate, double earlier, double look) {
        SplittableRandom random = new SplittableRandom(7);
        int rises = 0;
        for (int looks = 0; looks < 20_000; looks++) {
            ArrivalTrend trend =
                    ArrivalTrend.of(come(random, rate, earlier), come(random, rate, look), come(random, rate, look));
            rises += trend.equals(ArrivalTrend.NONE) ? 0 : 1;
        }
        assertThat(rises).isBetween(0, 20);
    }

    /** So many records a second on average, by chance. */
    private static Count come(SplittableRandom random, double rate, double seconds) {
        int records = 0;
        for (double at = pause(random, rate); at < seconds; records++) {
            at += pause(random, rate);
        }
        return new Count(records, seconds);
    }

    private static double pause(SplittableRandom random, double rate) {
        return -Math.log(1 - random.nextDouble()) / rate;
    }
}
