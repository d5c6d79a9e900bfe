/**
 * Runs a few threads of engine code through many interleavings, each given by a seed. Start at
 * {@link dev.laneway.interleave.Interleavings}.
 */
@NullMarked
package dev.laneway.interleave;

import org.jspecify.annotations.NullMarked;
