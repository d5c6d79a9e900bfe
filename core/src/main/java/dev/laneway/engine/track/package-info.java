/**
 * Records on their way: partitions, tracks, lanes, the cursor, the work that workers claim, and the events for the
 * owner. Uses offsets and runtime; all rooms from the handlers on may call it.
 */
@NullMarked
package dev.laneway.engine.track;

import org.jspecify.annotations.NullMarked;
