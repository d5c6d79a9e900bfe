package dev.laneway.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TrendTest {
    private static final int SAMPLES = 40;
    private static final double STEP_SECONDS = 60;

    @Test
    @DisplayName("A slow leak under noise grows, by what leaks over the second half")
    void seesLeaks() {
        SplittableRandom noise = new SplittableRandom(1);
        Trend trend = trend(i -> 100 + i + 4 * noise.nextDouble());
        assertThat(trend.isGrowing()).isTrue();
        assertThat(trend.growth()).isCloseTo(19, within(3.0));
        assertThat(trend.median()).isCloseTo(132, within(3.0));
    }

    @Test
    @DisplayName("A leak that outliers hide from the eye grows")
    void seesLeaksBehindOutliers() {
        assertThat(trend(i -> i % 7 == 3 ? 20 : 100 + 2 * i).isGrowing()).isTrue();
    }

    @Test
    @DisplayName("Noise, a constant, what shrinks, and what grew only while it warmed up do not grow")
    void seesNoLeaksWhereThereAreNone() {
        for (int seed = 0; seed < 20; seed++) {
            SplittableRandom noise = new SplittableRandom(seed);
            assertThat(trend(i -> 100 + 8 * noise.nextDouble()).isGrowing())
                    .as("seed " + seed)
                    .isFalse();
        }
        assertThat(trend(i -> 100).isGrowing()).isFalse();
        assertThat(trend(i -> 100).z()).isZero();
        assertThat(trend(i -> 100 - i).isGrowing()).isFalse();
        assertThat(trend(i -> Math.min(i, SAMPLES / 2)).isGrowing()).isFalse();
    }

    @Test
    @DisplayName("One wild sample at the end is no growth")
    void isNotImpressedByOneSample() {
        assertThat(trend(i -> i == SAMPLES - 1 ? 1_000 : 100 + i % 3).isGrowing())
                .isFalse();
    }

    @Test
    @DisplayName("A steady growth within the tolerance does not matter")
    void toleratesLittle() {
        Trend trend = trend(i -> 100 + 0.1 * i);
        assertThat(trend.z()).isGreaterThan(Trend.SIGNIFICANT);
        assertThat(trend.isGrowing()).isFalse();
    }

    @Test
    @DisplayName("Too few samples to tell are no growth")
    void needsSamples() {
        for (int count : new int[] {0, 1, 2, 6}) {
            assertThat(trend(count, i -> 1_000 * i).isGrowing()).as("%d", count).isFalse();
        }
    }

    private static Trend trend(IntToDoubleFunction value) {
        return trend(SAMPLES, value);
    }

    private static Trend trend(int count, IntToDoubleFunction value) {
        return Trend.of(
                "x",
                IntStream.range(0, count)
                        .mapToObj(i -> new Trend.Sample(i * STEP_SECONDS, value.applyAsDouble(i)))
                        .toList(),
                0.05,
                4);
    }
}
