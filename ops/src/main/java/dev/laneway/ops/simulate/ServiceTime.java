package dev.laneway.ops.simulate;

import java.util.List;
import java.util.SplittableRandom;

/** How long handlers take for a record. Immutable. */
public sealed interface ServiceTime {
    /** The time of one record, in seconds. */
    double sample(SplittableRandom random);

    /** On average, in seconds. */
    double mean();

    /** Always the same. */
    record Fixed(double seconds) implements ServiceTime {
        /** Checks the time. */
        public Fixed {
            Check.positive("seconds", seconds);
        }

        @Override
        public double sample(SplittableRandom random) {
            return seconds;
        }

        @Override
        public double mean() {
            return seconds;
        }
    }

    /** Many short, few long: the usual model of a queue. */
    record Exponential(double mean) implements ServiceTime {
        /** Checks the mean. */
        public Exponential {
            Check.positive("mean", mean);
        }

        @Override
        public double sample(SplittableRandom random) {
            return mean * Draw.exponential(random);
        }
    }

    /** A long tail, as calls to other services have it. */
    record LogNormal(double mean, double sigma) implements ServiceTime {
        private static final double Z_OF_99 = 2.3263478740408408;

        /** Checks both. */
        public LogNormal {
            Check.positive("mean", mean);
            Check.between("sigma", sigma, 0, 10);
        }

        /**
         * With this mean, and one record in a hundred that takes longer than {@code p99}.
         *
         * @throws IllegalArgumentException if p99 is less than the mean, or more than about 14 times it: no such
         *     distribution has that
         */
        public static LogNormal of(double mean, double p99) {
            double most = Z_OF_99 * Z_OF_99 - 2 * StrictMath.log(p99 / mean);
            if (!(p99 >= mean) || most < 0) {
                throw new IllegalArgumentException("p99 is " + p99 + " but must be from the mean, " + mean + ", to "
                        + mean * StrictMath.exp(Z_OF_99 * Z_OF_99 / 2) + ": give another one, or percentiles");
            }
            return new LogNormal(mean, Z_OF_99 - Math.sqrt(most));
        }

        @Override
        public double sample(SplittableRandom random) {
            return mean * StrictMath.exp(sigma * Draw.normal(random) - sigma * sigma / 2);
        }
    }

    /** As measured: evenly between neighbouring percentiles. */
    record Percentiles(List<Point> points) implements ServiceTime {
        /**
         * One percentile.
         *
         * @param share of the records that take this long or less, from 0 to 1
         */
        public record Point(double share, double seconds) {}

        /** Checks that they rise from a share of 0 to a share of 1. */
        public Percentiles {
            points = List.copyOf(points);
            boolean isWhole = points.size() >= 2
                    && points.getFirst().share() == 0
                    && points.getLast().share() == 1
                    && points.getLast().seconds() > 0;
            for (int i = 0; i < points.size() && isWhole; i++) {
                Point point = points.get(i);
                isWhole = point.seconds() >= 0 && point.seconds() < Double.POSITIVE_INFINITY;
                if (i > 0) {
                    isWhole &= point.share() > points.get(i - 1).share()
                            && point.seconds() >= points.get(i - 1).seconds();
                }
            }
            if (!isWhole) {
                throw new IllegalArgumentException("percentiles are " + points
                        + " but must rise from a share of 0 to a share of 1: add the least and the longest time");
            }
        }

        @Override
        public double sample(SplittableRandom random) {
            double share = random.nextDouble();
            int i = 1;
            while (points.get(i).share() < share) {
                i++;
            }
            Point low = points.get(i - 1);
            Point high = points.get(i);
            double part = (share - low.share()) / (high.share() - low.share());
            return low.seconds() + part * (high.seconds() - low.seconds());
        }

        @Override
        public double mean() {
            double sum = 0;
            for (int i = 1; i < points.size(); i++) {
                Point low = points.get(i - 1);
                Point high = points.get(i);
                sum += (high.share() - low.share()) * (high.seconds() + low.seconds()) / 2;
            }
            return sum;
        }
    }
}
