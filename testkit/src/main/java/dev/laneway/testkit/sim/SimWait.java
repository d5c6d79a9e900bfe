package dev.laneway.testkit.sim;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** How a blocking call of the simulated client lets the simulation go on. Returns whether the condition holds. */
@FunctionalInterface
interface SimWait {
    boolean await(BooleanSupplier condition, Duration limit);
}
