package dev.laneway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TimedAttemptsTest {
    private static final long MILLI = 1_000_000;

    private static double oneIn(TimedAttempts attempts, long step) {
        return oneIn(attempts, step, true);
    }

    private static double oneIn(TimedAttempts attempts, long step, boolean follows) {
        long offsets = 1_000_000;
        return (double) offsets
                / LongStream.range(0, offsets)
                        .map(i -> i * step)
                        .filter(offset -> attempts.isChosen(offset, follows))
                        .count();
    }

    @Test
    @DisplayName("B153 of attempts that follow each other 1 in 64 is timed, however offsets are spaced")
    void isSpread() {
        TimedAttempts attempts = new TimedAttempts(0);
        for (long step : new long[] {1, 2, 64, 1_000}) {
            assertThat(oneIn(attempts, step)).as("of offsets %d apart", step).isBetween(45.0, 100.0);
        }
    }

    @Test
    @DisplayName("B153 of very many fewer are timed, some thousands a second, and of few 1 in 64 again")
    void followsTheRate() {
        TimedAttempts attempts = new TimedAttempts(0);
        long now = 0;
        // Five million a second, a thousand at a time.
        for (int i = 0; i < 2_000; i++) {
            now += MILLI / 5;
            attempts.fetched(1_000, now);
        }
        double many = oneIn(attempts, 1);
        assertThat(5_000_000 / many).isBetween(1_500.0, 5_000.0);
        assertThat(oneIn(attempts, 1, false)).as("of those that do not follow").isBetween(45.0, 100.0);
        for (int i = 0; i < 20; i++) {
            now += 100 * MILLI;
            attempts.fetched(10_000, now);
        }
        assertThat(oneIn(attempts, 1)).isBetween(45.0, 100.0);
        // That was 100,000 a second.
        assertThat(oneIn(attempts, 1, false)).isBetween(1.8, 2.2);
        for (int i = 0; i < 20; i++) {
            now += 100 * MILLI;
            attempts.fetched(6_000, now);
        }
        assertThat(oneIn(attempts, 1, false)).as("of 60,000 a second each").isEqualTo(1);
        attempts.fetched(Integer.MAX_VALUE, now + 100 * MILLI);
        assertThat(oneIn(attempts, 1)).as("never none").isBetween(3_000.0, 6_000.0);
    }
}
