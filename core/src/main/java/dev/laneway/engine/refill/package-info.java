/**
 * Reads records again from the log that lanes have spilled, with a second client of the member. Uses track and runtime;
 * the wiring of a member may call it.
 */
@NullMarked
package dev.laneway.engine.refill;

import org.jspecify.annotations.NullMarked;
