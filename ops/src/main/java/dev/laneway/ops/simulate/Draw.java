package dev.laneway.ops.simulate;

import java.util.SplittableRandom;

/** Random numbers of other distributions, the same on any machine: StrictMath has one result everywhere. */
final class Draw {
    private Draw() {}

    /** With mean 1. */
    static double exponential(SplittableRandom random) {
        return -StrictMath.log(1 - random.nextDouble());
    }

    /** With mean 0 and deviation 1, by Box and Muller. */
    static double normal(SplittableRandom random) {
        double radius = Math.sqrt(2 * exponential(random));
        return radius * StrictMath.cos(2 * Math.PI * random.nextDouble());
    }
}
