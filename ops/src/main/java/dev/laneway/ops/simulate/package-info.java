/**
 * What would happen: a group of consumers under a load, simulated event by event. The same seed gives the same result
 * on any machine. Nothing here reads, waits, or knows the time.
 *
 * <p>Uses the JDK, of {@code plan} the modes, and of {@code dev.laneway.assign} what an assignor would plan.
 */
@NullMarked
package dev.laneway.ops.simulate;

import org.jspecify.annotations.NullMarked;
