/** Runnable examples, one file each. */
@NullMarked
package dev.laneway.examples;

import org.jspecify.annotations.NullMarked;
