/**
 * Judges what was observed: is the group healthy, what limits or breaks it, why, and what to do. Pure functions of
 * package {@code observe}; nothing here reads, waits or knows the time, but for {@code Check}, the way in for programs.
 */
@NullMarked
package dev.laneway.ops.check;

import org.jspecify.annotations.NullMarked;
