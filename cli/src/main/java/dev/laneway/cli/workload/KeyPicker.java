package dev.laneway.cli.workload;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Draws key numbers from 0 to n-1: evenly, or by Zipf's law, where key k is drawn in proportion to 1 / (k+1)^s, so that
 * key 0 is the hottest. The same seed draws the same keys. Not thread-safe.
 */
public final class KeyPicker {
    private final SplittableRandom random;
    private final int keys;
    /** Cumulative shares of the keys 0 to k; empty if keys are drawn evenly. */
    private final double[] cumulative;

    /**
     * Describes the law.
     *
     * @param skew the exponent s; 0 draws evenly
     */
    KeyPicker(int keys, double skew, long seed) {
        this.keys = keys;
        this.random = new SplittableRandom(seed);
        this.cumulative = skew == 0 ? new double[0] : cumulative(keys, skew);
    }

    public int next() {
        if (cumulative.length == 0) {
            return random.nextInt(keys);
        }
        int found = Arrays.binarySearch(cumulative, random.nextDouble());
        return Math.min(keys - 1, found < 0 ? -found - 1 : found + 1);
    }

    /** The share of records that the hottest key gets. */
    public double hottestShare() {
        return cumulative.length == 0 ? 1.0 / keys : cumulative[0];
    }

    private static double[] cumulative(int keys, double skew) {
        double[] sums = new double[keys];
        double sum = 0;
        for (int key = 0; key < keys; key++) {
            sum += Math.pow(key + 1.0, -skew);
            sums[key] = sum;
        }
        for (int key = 0; key < keys; key++) {
            sums[key] /= sum;
        }
        return sums;
    }
}
