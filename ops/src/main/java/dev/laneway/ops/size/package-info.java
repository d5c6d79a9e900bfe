/**
 * The highest rate that instances of a size sustain: which rate to try next, and what was measured of one. Pure
 * functions: nothing here reads, waits, knows the time or draws random numbers. {@link dev.laneway.ops.size.RateSearch}
 * asks for trials, {@link dev.laneway.ops.size.LagWindow} judges each, and {@link dev.laneway.ops.size.SizeProfile}
 * keeps what came of it.
 *
 * <p>Uses the JDK, and {@code plan} for what a profile tells a plan.
 */
@NullMarked
package dev.laneway.ops.size;

import org.jspecify.annotations.NullMarked;
