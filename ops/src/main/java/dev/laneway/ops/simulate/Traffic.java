package dev.laneway.ops.simulate;

import java.util.List;
import java.util.SplittableRandom;

/** Records a second that come, over time. Pure: the same time gives the same rate. */
@FunctionalInterface
public interface Traffic {
    /** Records a second at a time in seconds from the start. */
    double rate(double seconds);

    /** Always the same. */
    static Traffic constant(double rate) {
        return _ -> rate;
    }

    /** One rate up to a time, another one from then on. */
    static Traffic step(double before, double after, double at) {
        return seconds -> seconds < at ? before : after;
    }

    /** From one rate to another, evenly, between two times. */
    static Traffic ramp(double before, double after, double from, double to) {
        return seconds -> before + (after - before) * Math.clamp((seconds - from) / Math.max(to - from, 1e-9), 0, 1);
    }

    /** Up and down between two rates, beginning with the lower one. */
    static Traffic cosine(double low, double high, double period) {
        return seconds -> low + (high - low) * (1 - StrictMath.cos(2 * Math.PI * seconds / period)) / 2;
    }

    /** A rate, and a higher one for some seconds in each period. */
    static Traffic spikes(double base, double high, double period, double lasting) {
        return seconds -> seconds % period >= period - lasting ? high : base;
    }

    /**
     * A day: little at night, most at midday, each minute up to a fifth more or less, and once in some hours a burst of
     * half as much again for ten minutes.
     */
    static Traffic daily(double low, double high, long seed) {
        Traffic day = cosine(low, high, 86_400);
        return seconds -> {
            long minute = (long) (seconds / 60);
            double noise = 0.8 + 0.4 * new SplittableRandom(seed * 31 + minute).nextDouble();
            boolean bursts = new SplittableRandom(seed * 37 + minute / 10).nextInt(24) == 0;
            return day.rate(seconds) * noise * (bursts ? 1.5 : 1);
        };
    }

    /** One moment of a trace. */
    record Point(double seconds, double rate) {}

    /**
     * As recorded: each rate holds until the next one.
     *
     * @throws IllegalArgumentException if there is no point, a rate is negative, or times do not rise
     */
    static Traffic trace(List<Point> points) {
        List<Point> kept = List.copyOf(points);
        for (int i = 0; i < kept.size(); i++) {
            Check.notNegative("rate", kept.get(i).rate());
            Check.notNegative("seconds", kept.get(i).seconds());
            if (i > 0 && kept.get(i).seconds() <= kept.get(i - 1).seconds()) {
                throw Check.wrong("seconds", kept.get(i).seconds(), "more than the one before");
            }
        }
        if (kept.isEmpty()) {
            throw new IllegalArgumentException("a trace has no point: give at least one");
        }
        double[] times = kept.stream().mapToDouble(Point::seconds).toArray();
        return seconds -> {
            int found = java.util.Arrays.binarySearch(times, seconds);
            int last = found >= 0 ? found : -found - 2;
            return kept.get(Math.max(0, last)).rate();
        };
    }
}
