package dev.laneway.ops.size;

/**
 * Searches the highest rate that a group sustains, trial by trial. Immutable: each trial makes another search.
 *
 * <ol>
 *   <li>Looks at rates that rise fast, until the group falls behind: what it then handles is a first estimate. If it
 *       does so at the first look, which finds it just started, it looks once more.
 *   <li>Measures near the estimate, until a rate is sustained and one at most 5 % above it is not. A rate that was
 *       missed by little is tried again before it counts as too much.
 *   <li>Confirms the sustained one for longer. If that fails twice, what was sustained no longer is, as with an
 *       application that gets slower the more state it has: then it goes on measuring below.
 * </ol>
 *
 * After a trial that was not sustained the caller lets the group work off what waits, or the next one would start
 * behind.
 */
public final class RateSearch {
    private static final double LOOK_FACTOR = 2.5;
    private static final double NEAR_ENOUGH = 1.05;
    /** Of what a group handles while it falls behind: a bit less should be sustained. */
    private static final double BELOW = 0.98;

    private static final double CLIFF = 0.7;
    /** A share of the load by which the lag grows. */
    private static final double FAR_TOO_MUCH = 0.2;

    private static final double MOST_GROWTH = 2;
    private static final double LEAST_RATE = 0.1;
    private static final int MOST_TRIALS = 30;

    private enum Phase {
        LOOKING,
        MEASURING,
        CONFIRMING,
        ENDED
    }

    private final Phase phase;
    private final double rate;
    private final double sustained;
    private final double tooMuch;
    private final double most;
    private final double growth;
    private final int trials;
    private final boolean isUnsure;
    private final boolean hasFallen;

    private RateSearch(
            Phase phase,
            double rate,
            double sustained,
            double tooMuch,
            double most,
            double growth,
            int trials,
            boolean isUnsure,
            boolean hasFallen) {
        this.phase = phase;
        this.rate = Math.min(rate, most);
        this.sustained = sustained;
        this.tooMuch = tooMuch;
        this.most = most;
        this.growth = growth;
        this.trials = trials;
        this.isUnsure = isUnsure;
        this.hasFallen = hasFallen;
    }

    /**
     * Of a group of which nothing is known.
     *
     * @param first rate to look at
     * @param most that the load can be raised to
     */
    public static RateSearch from(double first, double most) {
        return new RateSearch(
                Phase.LOOKING,
                positive(first),
                0,
                Double.POSITIVE_INFINITY,
                positive(most),
                NEAR_ENOUGH,
                0,
                false,
                false);
    }

    /** Of a group that should sustain about so much. */
    public static RateSearch near(double estimate, double most) {
        return new RateSearch(
                Phase.MEASURING,
                positive(estimate),
                0,
                Double.POSITIVE_INFINITY,
                positive(most),
                NEAR_ENOUGH,
                0,
                false,
                false);
    }

    private static double positive(double value) {
        if (!(value > 0)) {
            throw new IllegalArgumentException("rate is " + value + " but must be more than 0: give such a number");
        }
        return value;
    }

    /** What to do next. */
    public SearchStep next() {
        return switch (phase) {
            case LOOKING -> new SearchStep.Look(rate);
            case MEASURING -> new SearchStep.Measure(rate);
            case CONFIRMING -> new SearchStep.Confirm(rate);
            case ENDED ->
                sustained == 0 ? new SearchStep.Nothing() : new SearchStep.Found(sustained, tooMuch, end(), hasFallen);
        };
    }

    private SearchStep.End end() {
        return tooMuch / sustained <= NEAR_ENOUGH * (1 + 1e-9)
                ? SearchStep.End.NEAR_ENOUGH
                : sustained >= most * (1 - 1e-9) ? SearchStep.End.NO_MORE_LOAD : SearchStep.End.TRIALS_ENDED;
    }

    /** About how many trials are left, for people who wait. */
    public int trialsLeft() {
        return switch (phase) {
            case LOOKING -> Math.max(6, 9 - trials);
            case MEASURING -> tooMuch == Double.POSITIVE_INFINITY ? 3 : 2;
            case CONFIRMING -> 1;
            case ENDED -> 0;
        };
    }

    /** Goes on with what came of the step that {@link #next} asked for. */
    public RateSearch after(Trial trial) {
        if (phase == Phase.ENDED) {
            throw new IllegalStateException("the search has ended: take its result");
        }
        RateSearch told = trial.isShortOfLoad() ? withMost(trial.seen().offered()) : this;
        RateSearch next = switch (phase) {
            case LOOKING -> told.looked(trial);
            case MEASURING -> told.measured(trial);
            case CONFIRMING -> told.confirmed(trial);
            case ENDED -> told;
        };
        return next.trials >= MOST_TRIALS ? next.with(Phase.ENDED, next.rate) : next;
    }

    // ---------------------------------------------------------------- what follows a trial

    private RateSearch looked(Trial trial) {
        double handled = trial.seen().handled();
        if (trial.keepsUp()) {
            return rate >= most * (1 - 1e-9)
                    ? counted(Phase.MEASURING, most, 0, tooMuch)
                    : counted(Phase.LOOKING, rate * LOOK_FACTOR, rate, tooMuch);
        }
        if (trials == 0) { // An instance that has just started is slow, and the first look has warmed it up.
            return counted(Phase.LOOKING, rate, 0, tooMuch);
        }
        if (handled < LEAST_RATE) {
            return rate < LEAST_RATE
                    ? counted(Phase.ENDED, rate, 0, rate)
                    : counted(Phase.LOOKING, rate / LOOK_FACTOR, 0, tooMuch);
        }
        // A group that does much less once it falls behind is better told by the look before.
        double estimate = Math.min(handled < CLIFF * sustained ? sustained : BELOW * handled, rate / NEAR_ENOUGH);
        return counted(Phase.MEASURING, estimate, 0, Double.POSITIVE_INFINITY);
    }

    /** Something else on the machine can make a group fall behind for once; what is far too much needs no proof. */
    private RateSearch measured(Trial trial) {
        if (trial.keepsUp()) {
            return sure().kept(came(trial));
        }
        LagWindow seen = trial.seen();
        boolean isDoubtful = !isUnsure && seen.slope() < FAR_TOO_MUCH * seen.offered();
        return isDoubtful ? repeated() : sure().fell(seen.handled(), sustained, Math.min(tooMuch, rate));
    }

    private RateSearch repeated() {
        return new RateSearch(phase, rate, sustained, tooMuch, most, growth, trials + 1, true, hasFallen);
    }

    private RateSearch sure() {
        return new RateSearch(phase, rate, sustained, tooMuch, most, growth, trials, false, hasFallen);
    }

    private double came(Trial trial) {
        return Math.min(rate, trial.seen().offered());
    }

    private RateSearch kept(double kept) {
        double now = Math.max(sustained, kept);
        if (tooMuch / now <= NEAR_ENOUGH || rate >= most * (1 - 1e-9)) {
            return counted(Phase.CONFIRMING, now, now, tooMuch);
        }
        if (tooMuch < Double.POSITIVE_INFINITY) {
            return counted(Phase.MEASURING, Math.max(Math.sqrt(now * tooMuch), tooMuch / NEAR_ENOUGH), now, tooMuch);
        }
        return new RateSearch(
                Phase.MEASURING,
                now * growth,
                now,
                tooMuch,
                most,
                Math.min(MOST_GROWTH, growth * growth),
                trials + 1,
                isUnsure,
                hasFallen);
    }

    private RateSearch fell(double handled, double kept, double limit) {
        if (kept > 0 && limit / kept <= NEAR_ENOUGH * (1 + 1e-9)) {
            return counted(Phase.CONFIRMING, kept, kept, limit);
        }
        double highest = limit / NEAR_ENOUGH;
        double next = Math.min(highest, handled > 0 ? BELOW * handled : limit / 2);
        if (next < LEAST_RATE) {
            return counted(Phase.ENDED, next, kept, limit);
        }
        return counted(Phase.MEASURING, next <= kept ? Math.sqrt(kept * limit) : next, kept, limit);
    }

    private RateSearch confirmed(Trial trial) {
        if (trial.keepsUp()) {
            return counted(Phase.ENDED, rate, sustained, tooMuch);
        }
        if (!isUnsure) {
            return repeated();
        }
        RateSearch below = fell(trial.seen().handled(), 0, rate);
        return new RateSearch(below.phase, below.rate, 0, rate, most, NEAR_ENOUGH, below.trials, false, true);
    }

    private RateSearch counted(Phase next, double nextRate, double kept, double limit) {
        return new RateSearch(next, nextRate, kept, limit, most, growth, trials + 1, isUnsure, hasFallen);
    }

    private RateSearch with(Phase other, double otherRate) {
        return new RateSearch(other, otherRate, sustained, tooMuch, most, growth, trials, isUnsure, hasFallen);
    }

    private RateSearch withMost(double less) {
        return new RateSearch(phase, less, sustained, tooMuch, less, growth, trials, isUnsure, hasFallen);
    }
}
