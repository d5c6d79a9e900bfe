/**
 * What would happen: a group of consumers under a load, simulated event by event. The same seed gives the same result
 * on any machine. Nothing here reads, waits, or knows the time.
 *
 * <p>Uses the JDK, and of {@code plan} the modes.
 */
@NullMarked
package dev.laneway.ops.simulate;

import org.jspecify.annotations.NullMarked;
