/**
 * How many partitions, members and workers a load needs, by Little's law and with a reserve that is finite. Pure
 * functions: nothing here reads, waits, knows the time or draws random numbers.
 *
 * <p>Uses the JDK, and {@code observe} for service times that were measured.
 */
@NullMarked
package dev.laneway.ops.plan;

import org.jspecify.annotations.NullMarked;
