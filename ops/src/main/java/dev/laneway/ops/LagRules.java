package dev.laneway.ops;

import java.util.List;

/** The lag of one partition from its readings: pure functions. */
final class LagRules {
    /** A stall is only told after as long: twice the commit interval of Kafka Streams, which is 30 s. */
    static final long STALL_MILLIS = 60_000;

    private static final int LEAST_FOR_TREND = 4;
    private static final double RISING = 0.75;

    private LagRules() {}

    /** A status, and what it rests on. */
    record Verdict(LagStatus status, String evidence) {}

    /** Records per second by which the value grew from the first to the last reading; NaN with less than two. */
    static double rate(List<Reading> known, java.util.function.ToLongFunction<Reading> value) {
        if (known.size() < 2) {
            return Double.NaN;
        }
        Reading first = known.getFirst();
        Reading last = known.getLast();
        long millis = last.atMillis() - first.atMillis();
        if (millis <= 0) {
            return Double.NaN;
        }
        return Math.max(0, value.applyAsLong(last) - value.applyAsLong(first)) * 1e3 / millis;
    }

    /** Seconds until nothing waits; infinite if the lag does not shrink, NaN without rates. */
    static double secondsToClear(long lag, double appendRate, double processRate) {
        if (lag == 0) {
            return 0;
        }
        double gain = processRate - appendRate;
        return Double.isNaN(gain) ? Double.NaN : gain > 0 ? lag / gain : Double.POSITIVE_INFINITY;
    }

    /** Seconds that a record which is appended now will wait, if all stays as it is; NaN without a rate. */
    static double expectedLatency(long lag, double processRate) {
        if (lag == 0) {
            return 0;
        }
        return Double.isNaN(processRate) ? Double.NaN : lag / processRate;
    }

    /**
     * Bounds of the age of the record at the committed offset, from when the end offset was seen to pass it.
     *
     * @param known readings with a known end, oldest first
     */
    static LagAge age(List<Reading> known, long committed, long nowMillis) {
        if (known.isEmpty() || known.getLast().end() <= committed) {
            return LagAge.NONE;
        }
        double low = 0;
        for (int i = known.size() - 1; i >= 0; i--) {
            double age = Math.max(0, nowMillis - known.get(i).atMillis()) / 1e3;
            if (known.get(i).end() <= committed) {
                return new LagAge(Math.min(low, age), age);
            }
            low = age;
        }
        return new LagAge(low, Double.POSITIVE_INFINITY);
    }

    /**
     * The status of a partition.
     *
     * @param known readings with a known lag, oldest first, at least one
     * @param hasOwner whether a member of the group has the partition
     */
    static Verdict verdict(List<Reading> known, boolean hasOwner) {
        Reading last = known.getLast();
        long lag = last.lag();
        long highest = known.stream().mapToLong(Reading::committed).max().orElse(last.committed());
        if (highest > last.committed()) {
            return new Verdict(
                    LagStatus.REWIND, "the committed offset went back from " + highest + " to " + last.committed());
        }
        if (lag == 0) {
            return new Verdict(LagStatus.OK, "nothing waits");
        }
        long millis = last.atMillis() - known.getFirst().atMillis();
        boolean hasMoved = last.committed() > known.getFirst().committed();
        if (!hasOwner && !hasMoved) {
            return new Verdict(LagStatus.STOP, lag + " records wait and no member has the partition");
        }
        if (known.stream().anyMatch(reading -> reading.lag() == 0)) {
            return new Verdict(LagStatus.OK, "nothing waited at a time within the window");
        }
        if (!hasMoved) {
            return standing(known, lag, millis);
        }
        if (known.size() < LEAST_FOR_TREND) {
            return new Verdict(LagStatus.UNKNOWN, "only " + known.size() + " samples: watch longer");
        }
        return trend(known, millis);
    }

    private static Verdict standing(List<Reading> known, long lag, long millis) {
        if (lag == 1 && known.getFirst().end() == known.getLast().end()) {
            return new Verdict(
                    LagStatus.UNKNOWN, "the one offset left may be a transaction's marker: a probe can tell");
        }
        if (millis < STALL_MILLIS) {
            return new Verdict(
                    LagStatus.UNKNOWN,
                    "no commit seen in " + millis / 1_000 + " s: a stall is told after " + STALL_MILLIS / 1_000 + " s");
        }
        return new Verdict(
                LagStatus.STALL,
                "the committed offset stands at " + known.getLast().committed() + " since at least " + millis / 1_000
                        + " s and " + lag + " records wait");
    }

    private static Verdict trend(List<Reading> known, long millis) {
        RobustSlope slope = slope(known);
        double growth = slope.perUnit() * millis / 1e3;
        if (growth >= 1 && slope.rising() >= RISING) {
            return new Verdict(
                    LagStatus.GROWING,
                    String.format(java.util.Locale.ROOT, "lag grows by %.1f records a second", slope.perUnit()));
        }
        return new Verdict(LagStatus.OK, "the group makes progress and its lag does not grow");
    }

    /** The trend of the lag, per second. */
    static RobustSlope slope(List<Reading> known) {
        double[] times = new double[known.size()];
        double[] lags = new double[known.size()];
        for (int i = 0; i < times.length; i++) {
            times[i] = (known.get(i).atMillis() - known.getFirst().atMillis()) / 1e3;
            lags[i] = known.get(i).lag();
        }
        return RobustSlope.of(times, lags);
    }
}
