package dev.laneway.proof;

import dev.laneway.cli.program.Round;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether a series of samples grows. Immutable.
 *
 * <p>A leak shows as values that rise with time, and by an amount that matters. So two questions are asked of the
 * second half of the samples; the first half is the warm-up:
 *
 * <ul>
 *   <li>Is the order of the values that of time? The test of Mann and Kendall compares every pair of samples and is not
 *       impressed by outliers; {@code z} is how many standard deviations its sum lies from that of a shuffled series.
 *   <li>By how much? The slope of Theil and Sen is the median of the slopes between all pairs; up to 29 % of wild
 *       samples do not change it much. {@code growth} is that slope times the time from the first to the last sample.
 * </ul>
 *
 * <p>It grows when z is above {@value #SIGNIFICANT}, which a shuffled series is once in a hundred, and the growth is
 * above the tolerance.
 *
 * @param median of the second half
 * @param growth over the second half, in the unit of the samples
 * @param tolerance the growth that does not matter
 */
record Trend(String name, double median, double growth, double tolerance, double z) {
    static final double SIGNIFICANT = 2.33;

    /** A sample, and when it was taken. */
    record Sample(double seconds, double value) {}

    /**
     * Looks at a series in the order of time.
     *
     * @param share of the median that it may grow by
     * @param least what it may grow by in any case
     */
    static Trend of(String name, List<Sample> all, double share, double least) {
        List<Sample> half = all.subList(all.size() / 2, all.size());
        double[] values = half.stream().mapToDouble(Sample::value).toArray();
        double median = median(values);
        return new Trend(name, median, growth(half), Math.max(share * median, least), z(values));
    }

    boolean isGrowing() {
        return z > SIGNIFICANT && growth > tolerance;
    }

    private static double growth(List<Sample> samples) {
        int n = samples.size();
        if (n < 2) {
            return 0;
        }
        double[] slopes = new double[n * (n - 1) / 2];
        int next = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                double seconds = samples.get(j).seconds() - samples.get(i).seconds();
                slopes[next++] = (samples.get(j).value() - samples.get(i).value()) / seconds;
            }
        }
        return median(slopes)
                * (samples.getLast().seconds() - samples.getFirst().seconds());
    }

    /** Of Mann and Kendall, with the correction for equal values. */
    private static double z(double[] values) {
        int n = values.length;
        long sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                sum += Double.compare(values[j], values[i]);
            }
        }
        double variance = spread(n);
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        for (int from = 0; from < n; ) {
            int to = from;
            while (to < n && sorted[to] == sorted[from]) {
                to++;
            }
            variance -= spread(to - from);
            from = to;
        }
        return sum == 0 || variance <= 0 ? 0 : (sum - Long.signum(sum)) / Math.sqrt(variance);
    }

    private static double spread(double n) {
        return n * (n - 1) * (2 * n + 5) / 18;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int half = sorted.length / 2;
        return sorted.length == 0 ? 0 : sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("median", Round.to3(median));
        json.put("growth", Round.to3(growth));
        json.put("tolerance", Round.to3(tolerance));
        json.put("z", Round.to3(z));
        json.put("growing", isGrowing());
        return json;
    }
}
