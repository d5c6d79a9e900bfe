package dev.laneway.engine.sim;

import java.util.SplittableRandom;

/**
 * What one attempt does. Immutable.
 *
 * @param nanos how long it takes
 * @param stubborn whether it goes on when it is interrupted
 */
record SimBehaviour(Way way, long nanos, boolean stubborn, SimEnd end) {
    static final SimBehaviour STUCK = new SimBehaviour(Way.HANGS, 0, false, SimEnd.DONE);

    private static final long MILLI = 1_000_000;

    /** How it spends its time. */
    enum Way {
        AT_ONCE,
        YIELDS,
        WAITS,
        COMPUTES,
        /** Until it is interrupted, or until the run's end phase. */
        HANGS
    }

    static SimBehaviour drawn(SplittableRandom random, SimPlan plan, boolean calm) {
        if (calm) {
            return new SimBehaviour(Way.AT_ONCE, 0, false, plan.isExactlyOnce() ? SimEnd.emit(1) : SimEnd.DONE);
        }
        Way way = switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6, 7 -> Way.AT_ONCE;
            case 8, 9, 10, 11 -> Way.YIELDS;
            case 12, 13 -> Way.COMPUTES;
            case 14 -> plan.attemptLimitNanos > 0 && random.nextInt(3) == 0 ? Way.HANGS : Way.WAITS;
            default -> Way.WAITS;
        };
        boolean slow = random.nextInt(plan.theme == SimTheme.SHARE ? 8 : 25) == 0;
        long nanos = slow ? random.nextLong(100 * MILLI, plan.slowestNanos) : random.nextLong(1, 20 * MILLI);
        boolean stubborn = random.nextInt(4) == 0;
        return new SimBehaviour(way, nanos, stubborn, end(random, plan));
    }

    private static SimEnd end(SplittableRandom random, SimPlan plan) {
        if (random.nextDouble() >= plan.failureRate) {
            return random.nextDouble() < plan.emitRate ? SimEnd.emit(random.nextInt(1, 4)) : SimEnd.DONE;
        }
        return switch (random.nextInt(plan.theme == SimTheme.FAILING || plan.theme == SimTheme.SHARE ? 9 : 8)) {
            case 8 -> random.nextInt(10) == 0 ? SimEnd.of(SimEnd.Kind.STOP) : SimEnd.FAILED;
            case 0 -> SimEnd.of(SimEnd.Kind.HOPELESS);
            case 1 -> SimEnd.of(SimEnd.Kind.SKIP);
            case 2 -> SimEnd.retry(random.nextLong(200 * MILLI));
            case 3 -> plan.last == SimPlan.Last.DEAD_LETTER ? SimEnd.of(SimEnd.Kind.DEAD_LETTER) : SimEnd.FAILED;
            default -> SimEnd.FAILED;
        };
    }
}
