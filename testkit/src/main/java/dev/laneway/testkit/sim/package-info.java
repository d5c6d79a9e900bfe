/**
 * A deterministic simulated cluster with its clients, in virtual time. Start with
 * {@link dev.laneway.testkit.sim.Simulation}. Uses nothing of the embedded broker; tests may call it.
 */
@NullMarked
package dev.laneway.testkit.sim;

import org.jspecify.annotations.NullMarked;
