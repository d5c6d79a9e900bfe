package dev.laneway.ops.size;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;

/** A group that does what a formula says: a queue that is worked off, whose progress is committed once a second. */
final class SimulatedGroup {
    private static final double STEP = 0.01;
    private static final int STEPS_OF_A_LOOK = 10;

    /** Records a second, by the time and by how many records wait. */
    private final DoubleBinaryOperator capacity;

    private final Random random;
    private final double jitter;
    private final double mostLoad;
    private double now;
    private double end;
    private double done;
    private double committed;
    private double nextCommit = 1;
    int trials;

    SimulatedGroup(long seed, double jitter, double mostLoad, DoubleBinaryOperator capacity) {
        random = new Random(seed);
        this.jitter = jitter;
        this.mostLoad = mostLoad;
        this.capacity = capacity;
    }

    double seconds() {
        return now;
    }

    /** Searches as the verb does: waits, watches, looks longer where it is not sure, and lets the group catch up. */
    SearchStep search(RateSearch from) {
        RateSearch search = from;
        while (true) {
            SearchStep step = search.next();
            switch (step) {
                case SearchStep.Look(double rate) -> search = search.after(trial(rate, 2, 5, true));
                case SearchStep.Measure(double rate) -> search = search.after(trial(rate, 5, 10, false));
                case SearchStep.Confirm(double rate) -> search = search.after(trial(rate, 5, 20, false));
                case SearchStep.Found found -> {
                    return found;
                }
                case SearchStep.Nothing nothing -> {
                    return nothing;
                }
            }
        }
    }

    private Trial trial(double rate, double warmUp, double seconds, boolean isLook) {
        trials++;
        pass(rate, warmUp, new ArrayList<>());
        List<LagPoint> points = new ArrayList<>();
        pass(rate, seconds, points);
        LagWindow seen = LagWindow.of(points);
        if (seen.commits() < LagWindow.LEAST_COMMITS || (!isLook && seen.pace() == LagWindow.Pace.UNCLEAR)) {
            pass(rate, seconds, points);
            seen = LagWindow.of(points);
        }
        boolean keepsUp = isLook
                ? seen.slope() <= 0.1 * seen.offered()
                : (seen.pace() == LagWindow.Pace.UNCLEAR ? seen.likelyPace() : seen.pace()) == LagWindow.Pace.KEEPS_UP;
        for (int waits = 0; !keepsUp && end > committed && waits < 600; waits++) {
            pass(0, 1, new ArrayList<>());
        }
        return new Trial(1, rate, seen, keepsUp, 0.1);
    }

    private void pass(double rate, double seconds, List<LagPoint> points) {
        int steps = (int) Math.round(seconds / STEP);
        for (int i = 0; i < steps; i++) {
            now += STEP;
            end += Math.min(rate, mostLoad) * STEP;
            double can = capacity.applyAsDouble(now, end - done) * Math.max(0, 1 + jitter * random.nextGaussian());
            done = Math.min(end, done + can * STEP);
            if (now >= nextCommit) {
                committed = done;
                nextCommit = now + 0.95 + 0.1 * random.nextDouble();
            }
            if (i % STEPS_OF_A_LOOK == 0) {
                points.add(new LagPoint(now, end, end - committed, committed));
            }
        }
    }
}
