package dev.laneway.testkit;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** How a call of the simulated client that blocks lets the world go on. Answers whether the condition holds. */
@FunctionalInterface
interface SimWait {
    boolean await(BooleanSupplier condition, Duration limit);
}
