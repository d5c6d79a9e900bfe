package dev.laneway.ops.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.laneway.ops.scale.ArrivalTrend.Count;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

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

    @Test
    @DisplayName("B161 chance alone is a rise less than once in a thousand looks")
    void chance() {
        SplittableRandom random = new SplittableRandom(7);
        int rises = 0;
        for (int look = 0; look < 20_000; look++) {
            ArrivalTrend trend = ArrivalTrend.of(come(random, 50), come(random, 5), come(random, 5));
            rises += trend.equals(ArrivalTrend.NONE) ? 0 : 1;
        }
        assertThat(rises).isBetween(0, 20);
    }

    /** Two records a second on average, by chance. */
    private static Count come(SplittableRandom random, double seconds) {
        int records = 0;
        for (double at = -Math.log(1 - random.nextDouble()) / 2; at < seconds; records++) {
            at += -Math.log(1 - random.nextDouble()) / 2;
        }
        return new Count(records, seconds);
    }
}
