/**
 * From claimed work to its result: workers and their scheduler, attempts, failure policies, outputs, and the feed of
 * streams. Uses the tracks and what is below them; commits, starts, members and the streams may call it.
 */
@NullMarked
package dev.laneway.engine.handle;

import org.jspecify.annotations.NullMarked;
