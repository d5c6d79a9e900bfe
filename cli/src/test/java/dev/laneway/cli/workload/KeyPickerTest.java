package dev.laneway.cli.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KeyPickerTest {
    private static final int DRAWS = 1_000_000;

    @Property(tries = 100)
    void drawsOnlyKeysThatExist(
            @ForAll @IntRange(min = 1, max = 5_000) int keys,
            @ForAll @DoubleRange(min = 0, max = 10) double skew,
            @ForAll long seed) {
        KeyPicker picker = new KeyPicker(keys, skew, seed);
        for (int i = 0; i < 200; i++) {
            assertThat(picker.next()).isBetween(0, keys - 1);
        }
    }

    @Test
    @DisplayName("Each key gets its share by Zipf's law, the hottest and the coldest")
    void followsTheLaw() {
        int keys = 50;
        double skew = 1.2;
        long[] counts = counts(new KeyPicker(keys, skew, 7), keys);
        double norm = 0;
        for (int key = 0; key < keys; key++) {
            norm += Math.pow(key + 1, -skew);
        }
        for (int key = 0; key < keys; key++) {
            double expected = DRAWS * Math.pow(key + 1, -skew) / norm;
            // Five standard deviations of a binomial count: the seed is fixed, so this either holds or does not.
            assertThat((double) counts[key]).as("key %d", key).isCloseTo(expected, within(5 * Math.sqrt(expected)));
        }
    }

    @Test
    @DisplayName("Without skew all keys are alike")
    void isEvenWithoutSkew() {
        long[] counts = counts(new KeyPicker(10, 0, 7), 10);
        for (long count : counts) {
            assertThat((double) count).isCloseTo(DRAWS / 10.0, within(5 * Math.sqrt(DRAWS / 10.0)));
        }
    }

    @Test
    @DisplayName("The hottest key's share is that of the law")
    void knowsTheHottestShare() {
        assertThat(new KeyPicker(4, 0, 1).hottestShare()).isEqualTo(0.25);
        assertThat(new KeyPicker(3, 1, 1).hottestShare()).isCloseTo(6.0 / 11, within(1e-12));
    }

    @Test
    @DisplayName("The same seed draws the same keys")
    void isDeterministic() {
        KeyPicker one = new KeyPicker(1_000, 1, 42);
        KeyPicker two = new KeyPicker(1_000, 1, 42);
        for (int i = 0; i < 1_000; i++) {
            assertThat(one.next()).isEqualTo(two.next());
        }
    }

    private static long[] counts(KeyPicker picker, int keys) {
        long[] counts = new long[keys];
        for (int i = 0; i < DRAWS; i++) {
            counts[picker.next()]++;
        }
        return counts;
    }
}
