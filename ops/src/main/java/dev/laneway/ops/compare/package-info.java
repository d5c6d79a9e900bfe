/**
 * Scaling policies side by side: how many members others would have, under the same load, in the simulator. Each
 * policy's settings are constants of its class; the loads are drawn from a seed that is given later.
 *
 * <p>Uses the JDK, the simulator, and of {@code scale} and {@code check} what decides in production. Pure: nothing here
 * reads, waits, or knows the time.
 */
@NullMarked
package dev.laneway.ops.compare;

import org.jspecify.annotations.NullMarked;
