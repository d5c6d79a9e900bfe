package dev.laneway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BackoffTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    @DisplayName("B42 the delay doubles from the first to the longest and stays there")
    void doubles() {
        Backoff backoff = Backoff.exponential(Duration.ofMillis(100), SECOND).withJitter(0);
        assertThat(delays(backoff)).containsExactly(100L, 200L, 400L, 800L, 1_000L, 1_000L);
        assertThat(backoff.delay(Integer.MAX_VALUE, new Random(1))).isEqualTo(SECOND);
    }

    @Test
    @DisplayName("B42 a fixed back-off waits the same time after each attempt")
    void staysFixed() {
        assertThat(delays(Backoff.fixed(SECOND).withJitter(0))).containsOnly(1_000L);
        assertThat(delays(Backoff.fixed(Duration.ZERO))).containsOnly(0L);
    }

    @Test
    @DisplayName("B42 the defaults: doubling, a jitter of 0.2")
    void defaults() {
        assertThat(Backoff.exponential(SECOND, Duration.ofSeconds(9)))
                .isEqualTo(new Backoff(SECOND, Duration.ofSeconds(9), 2, 0.2));
        assertThat(Backoff.fixed(SECOND)).isEqualTo(new Backoff(SECOND, SECOND, 1, 0.2));
    }

    @Property(tries = 200)
    @Label("B42 jitter keeps the delay within its share of the plain delay")
    void jitterIsBounded(
            @ForAll @LongRange(min = 0, max = 3_600_000) long millis,
            @ForAll @DoubleRange(min = 0, max = 1) double jitter,
            @ForAll @IntRange(min = 1, max = 100) int attempt,
            @ForAll long seed) {
        Duration max = Duration.ofHours(2);
        Backoff plain = Backoff.exponential(Duration.ofMillis(millis), max).withJitter(0);
        double expected = plain.delay(attempt, new Random(seed)).toNanos();
        double delay = plain.withJitter(jitter).delay(attempt, new Random(seed)).toNanos();
        assertThat(delay).isBetween(expected * (1 - jitter) - 1, expected * (1 + jitter) + 1);
        assertThat(delay).isNotNegative();
    }

    @Test
    @DisplayName("B42 records that failed together are not tried together")
    void jitterSpreads() {
        Backoff backoff = Backoff.fixed(SECOND);
        Random random = new Random(7);
        assertThat(IntStream.range(0, 100)
                        .mapToObj(i -> backoff.delay(1, random))
                        .distinct())
                .hasSizeGreaterThan(90);
    }

    @Test
    @DisplayName("B42 the longest back-off with the most jitter still fits into nanoseconds")
    void longest() {
        Duration century = Duration.ofDays(36_500);
        Backoff longest = new Backoff(century, century, 1, 1);
        for (int seed = 0; seed < 100; seed++) {
            assertThat(longest.delay(9, new Random(seed)).toNanos()).isPositive();
        }
    }

    @Test
    @DisplayName("B52 values that could not be waited for are refused with option, value, rule and remedy")
    void refuses() {
        assertThatThrownBy(() -> Backoff.fixed(Duration.ofSeconds(-1)))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("backoff.first is PT-1S but must not be negative: give zero or more");
        assertThatThrownBy(() -> Backoff.exponential(SECOND, Duration.ofMillis(999)))
                .hasMessage("backoff.max is PT0.999S but must be at least backoff.first, PT1S: raise it");
        assertThatThrownBy(() -> Backoff.exponential(SECOND, Duration.ofDays(36_501)))
                .hasMessage(
                        "backoff.max is PT876024H but must be at most PT876000H: 100 years are as good as for ever");
        assertThatThrownBy(() -> new Backoff(SECOND, SECOND, 0.9, 0))
                .hasMessage("backoff.factor is 0.9 but must be at least 1: 2 doubles the delay each time");
        assertThatThrownBy(() -> new Backoff(SECOND, SECOND, Double.NaN, 0)).hasMessageContaining("backoff.factor");
        assertThatThrownBy(() -> Backoff.fixed(SECOND).withJitter(1.1))
                .hasMessage("backoff.jitter is 1.1 but must be from 0 to 1: 0.2 is a good start");
        assertThatThrownBy(() -> Backoff.fixed(SECOND).withJitter(-0.1)).hasMessageContaining("backoff.jitter");
        assertThatThrownBy(() -> Backoff.fixed(SECOND).withJitter(Double.NaN)).hasMessageContaining("backoff.jitter");
    }

    private static List<Long> delays(Backoff backoff) {
        return IntStream.rangeClosed(1, 6)
                .mapToObj(attempt -> backoff.delay(attempt, new Random(1)).toMillis())
                .toList();
    }
}
