package dev.laneway.ops;

import java.util.Arrays;

/**
 * The trend of a series by the estimator of Theil and Sen: the median of the slopes between all pairs of points. Up to
 * 29 % of the points may be arbitrarily wrong; no threshold depends on a variance.
 *
 * @param perUnit the median slope
 * @param rising share of the pairs that rise
 */
public record RobustSlope(double perUnit, double rising) {
    private static final RobustSlope FLAT = new RobustSlope(0, 0);

    /**
     * Of points with ascending times; equal times are left out.
     *
     * @param times and {@code values}: as many
     */
    public static RobustSlope of(double[] times, double[] values) {
        int count = times.length;
        double[] slopes = new double[count * (count - 1) / 2];
        int pairs = 0;
        int rising = 0;
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                double time = times[j] - times[i];
                if (time > 0) {
                    slopes[pairs] = (values[j] - values[i]) / time;
                    rising += slopes[pairs++] > 0 ? 1 : 0;
                }
            }
        }
        if (pairs == 0) {
            return FLAT;
        }
        Arrays.sort(slopes, 0, pairs);
        double median = pairs % 2 == 1 ? slopes[pairs / 2] : slopes[pairs / 2 - 1] / 2 + slopes[pairs / 2] / 2;
        return new RobustSlope(median, (double) rising / pairs);
    }
}
