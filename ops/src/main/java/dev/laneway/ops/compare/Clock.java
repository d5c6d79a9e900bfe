package dev.laneway.ops.compare;

import dev.laneway.ops.simulate.Tick;

/** Decides at which ticks a policy looks that looks more rarely than the simulator. */
final class Clock {
    private Clock() {}

    /** Whether a period ends at this tick; periods are multiples of the time between ticks. */
    static boolean strikes(Tick tick, double periodSeconds) {
        double rest = tick.seconds() % periodSeconds;
        return rest < 1e-6 || periodSeconds - rest < 1e-6;
    }
}
