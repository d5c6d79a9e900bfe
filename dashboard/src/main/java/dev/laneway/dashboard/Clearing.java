package dev.laneway.dashboard;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * When nothing will wait any more, if it goes on like this. Immutable.
 *
 * @param seconds infinite if the lag does not shrink
 * @param low and {@code high}: seconds by the faster and the slower quarter of what was seen; {@code high} is infinite
 *     where that does not shrink
 */
record Clearing(double seconds, double low, double high) {
    /** Nothing waits. */
    static final Clearing NOW = new Clearing(0, 0, 0);

    /** Quartiles of how fast the lag grows, records a second; negative where it shrinks. Immutable. */
    record Slopes(double low, double median, double high) {}

    /** The lag of the latest time, from which that is told. Used by one thread. */
    static final class Estimate {
        private static final int MOST = 15;
        private static final int LEAST = 4;

        private final Deque<double[]> points = new ArrayDeque<>(MOST);

        /** Adds a reading. */
        void add(double seconds, long lag) {
            if (points.size() == MOST) {
                points.removeFirst();
            }
            points.addLast(new double[] {seconds, lag});
        }

        /** Of the slopes between all pairs; null if there are too few. */
        private @Nullable Slopes slopes() {
            if (points.size() < LEAST) {
                return null;
            }
            double[][] all = points.toArray(double[][]::new);
            double[] slopes = new double[all.length * (all.length - 1) / 2];
            int pairs = 0;
            for (int i = 0; i < all.length; i++) {
                for (int j = i + 1; j < all.length; j++) {
                    double time = all[j][0] - all[i][0];
                    if (time > 0) {
                        slopes[pairs++] = (all[j][1] - all[i][1]) / time;
                    }
                }
            }
            if (pairs < LEAST) {
                return null;
            }
            Arrays.sort(slopes, 0, pairs);
            return new Slopes(slopes[pairs / 4], slopes[pairs / 2], slopes[3 * pairs / 4]);
        }

        /** Null if too little was seen. */
        @Nullable
        Clearing clearing() {
            if (!points.isEmpty() && points.getLast()[1] == 0) {
                return NOW;
            }
            Slopes slopes = slopes();
            if (slopes == null) {
                return null;
            }
            double lag = points.getLast()[1];
            return new Clearing(seconds(lag, slopes.median()), seconds(lag, slopes.low()), seconds(lag, slopes.high()));
        }

        private static double seconds(double lag, double slope) {
            return slope < 0 ? lag / -slope : Double.POSITIVE_INFINITY;
        }
    }
}
