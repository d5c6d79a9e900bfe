/**
 * Which offsets are done: the window of undone ones, and the codecs of the metadata that commits carry. Uses no other
 * room; every room may call it.
 */
@NullMarked
package dev.laneway.engine.offsets;

import org.jspecify.annotations.NullMarked;
