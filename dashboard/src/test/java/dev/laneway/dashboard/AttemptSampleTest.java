package dev.laneway.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AttemptSampleTest {
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong now = new AtomicLong(-SECOND);
    private final AttemptSample sample = new AttemptSample(now::get);
    private long offset;

    /** So many attempts a second for a second; returns for how many those stand that were chosen. */
    private long attempts(int rate, int step) {
        long stand = 0;
        for (int i = 0; i < rate; i++) {
            now.addAndGet(SECOND / rate);
            int weight = sample.weight(offset);
            if (weight > 0) {
                sample.chose(now.get());
            }
            stand += weight;
            offset += step;
        }
        return stand;
    }

    @Test
    @DisplayName("B199 Up to 20,000 attempts a second each is looked at: none that is stuck is missing")
    void all() {
        for (int i = 0; i < 5; i++) {
            assertThat(attempts(19_000, 1)).isEqualTo(19_000);
        }
        assertThat(sample.weight(offset)).isEqualTo(1);
    }

    @Test
    @DisplayName("B199 Of more one in 64 is looked at, whatever rhythm there is, and soon after them each one again")
    void some() {
        for (int step : new int[] {1, 2, 64, 1_000}) {
            attempts(200_000, step);
            assertThat(attempts(200_000, step)).isCloseTo(200_000, within(10_000L));
            assertThat(sample.weight(1)).isNotEqualTo(1);
            for (int look = 0; look < 2; look++) { // The first one has some of them in its time.
                now.addAndGet(SECOND / 5);
                sample.look();
            }
            assertThat(sample.weight(1)).isEqualTo(1);
        }
    }
}
