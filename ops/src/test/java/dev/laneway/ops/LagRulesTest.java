package dev.laneway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LagRulesTest {
    /** Readings of 5 s each, from pairs of committed and end offset. */
    private static List<Reading> readings(long... pairs) {
        List<Reading> readings = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            readings.add(new Reading(i / 2 * 5_000L, pairs[i], 0, pairs[i + 1], 0, Reading.UNKNOWN, null));
        }
        return readings;
    }

    private static LagStatus status(boolean hasOwner, long... pairs) {
        return LagRules.verdict(readings(pairs), hasOwner).status();
    }

    private static long[] standing(int count, long committed, long end, long step) {
        long[] pairs = new long[2 * count];
        for (int i = 0; i < count; i++) {
            pairs[2 * i] = committed;
            pairs[2 * i + 1] = end + i * step;
        }
        return pairs;
    }

    @Test
    @DisplayName("B132 A partition is OK, GROWING, REWIND, STALL, STOP or UNKNOWN by its readings")
    void states() {
        assertThat(status(true, 5, 5)).isEqualTo(LagStatus.OK);
        assertThat(status(true, 10, 20, 20, 30, 30, 40, 40, 50)).isEqualTo(LagStatus.OK);
        assertThat(status(true, 10, 20, 20, 40, 30, 60, 40, 80)).isEqualTo(LagStatus.GROWING);
        assertThat(status(true, 10, 20, 5, 20)).isEqualTo(LagStatus.REWIND);
        assertThat(status(true, standing(13, 5, 20, 1))).isEqualTo(LagStatus.STALL);
        assertThat(status(true, standing(12, 5, 20, 1))).isEqualTo(LagStatus.UNKNOWN);
        assertThat(status(false, standing(2, 5, 20, 0))).isEqualTo(LagStatus.STOP);
        assertThat(status(true, 10, 20, 20, 40)).isEqualTo(LagStatus.UNKNOWN);
    }

    @Test
    @DisplayName("B132 One dip does not hide a lag that grows, and a member's pause is no stop")
    void robust() {
        assertThat(status(true, 0, 100, 10, 210, 20, 320, 300, 430, 310, 640, 320, 750, 330, 860, 340, 970))
                .isEqualTo(LagStatus.GROWING);
        assertThat(status(false, 10, 20, 20, 30, 30, 40, 40, 50)).isEqualTo(LagStatus.OK);
    }

    @Test
    @DisplayName("B82 One offset that stays may be a transaction's marker: no stall is told")
    void stickyOne() {
        assertThat(status(true, standing(15, 19, 20, 0))).isEqualTo(LagStatus.UNKNOWN);
    }

    @Test
    @DisplayName("B131 The age of a record lies between two samples of the end, or has no upper bound")
    void ages() {
        List<Reading> known = readings(10, 10, 10, 20, 10, 30);
        assertThat(LagRules.age(known, 20, 12_000)).isEqualTo(new LagAge(2, 7));
        assertThat(LagRules.age(known, 10, 12_000)).isEqualTo(new LagAge(7, 12));
        assertThat(LagRules.age(known, 5, 12_000)).isEqualTo(new LagAge(12, Double.POSITIVE_INFINITY));
        assertThat(LagRules.age(known, 30, 12_000)).isEqualTo(LagAge.NONE);
    }

    @Test
    @DisplayName("Rates, time to clear and expected latency say when they are not known")
    void rates() {
        List<Reading> known = readings(0, 100, 50, 125);
        assertThat(LagRules.rate(known, Reading::end)).isEqualTo(5);
        assertThat(LagRules.rate(known, Reading::committed)).isEqualTo(10);
        assertThat(LagRules.rate(known.subList(0, 1), Reading::end)).isNaN();
        assertThat(LagRules.secondsToClear(75, 5, 10)).isEqualTo(15);
        assertThat(LagRules.secondsToClear(75, 10, 10)).isInfinite();
        assertThat(LagRules.secondsToClear(75, Double.NaN, Double.NaN)).isNaN();
        assertThat(LagRules.secondsToClear(0, 10, 5)).isZero();
        assertThat(LagRules.expectedLatency(75, 10)).isEqualTo(7.5);
        assertThat(LagRules.expectedLatency(75, 0)).isInfinite();
    }

    @Property(tries = 200)
    void aLineHasItsSlopeWhateverAFifthOfThePointsSay(
            @ForAll @DoubleRange(min = -1e3, max = 1e3) double slope,
            @ForAll @Size(3) List<@IntRange(min = -1_000_000, max = 1_000_000) Integer> wrong) {
        double[] times = new double[15];
        double[] values = new double[15];
        for (int i = 0; i < times.length; i++) {
            times[i] = i;
            values[i] = slope * i + (i % 5 == 2 ? wrong.get(i / 5) : 0);
        }
        // 12 of 15 points on the line are 66 of 105 pairs.
        assertThat(RobustSlope.of(times, values).perUnit()).isCloseTo(slope, Offset.offset(1e-6));
    }

    @Property(tries = 200)
    void theTrueAgeLiesWithinItsBounds(
            @ForAll @Size(min = 2, max = 15) List<@IntRange(max = 50) Integer> appends,
            @ForAll @IntRange(max = 99) int at) {
        List<Reading> known = new ArrayList<>();
        List<Long> times = new ArrayList<>(); // When each offset was appended.
        long end = 0;
        for (int i = 0; i < appends.size(); i++) {
            for (int j = 0; j < appends.get(i); j++) {
                times.add(i * 1_000L - 1_000 + 20L * j);
            }
            end += appends.get(i);
            known.add(new Reading(i * 1_000L, 0, 0, end, 0, Reading.UNKNOWN, null));
        }
        long now = appends.size() * 1_000L;
        if (end == 0) {
            assertThat(LagRules.age(known, end, now)).isEqualTo(LagAge.NONE);
            return;
        }
        int committed = (int) (end * at / 100);
        LagAge age = LagRules.age(known, committed, now);
        assertThat((now - times.get(committed)) / 1e3).isBetween(age.low(), age.high());
    }

    @Property(tries = 200)
    void aSearchByTimestampsKeepsTheTrueAgeWithinItsBoundsAndEnds(@ForAll @DoubleRange(max = 1e7) double truth) {
        LagAge age = LagAge.UNBOUNDED;
        int questions = 0;
        while (!AgeSearch.isFine(age)) {
            double guess = AgeSearch.guess(age);
            age = age.and(truth > guess ? new LagAge(guess, Double.POSITIVE_INFINITY) : new LagAge(0, guess));
            assertThat(truth).isBetween(age.low(), age.high());
            assertThat(++questions).isLessThan(30);
        }
    }
}
