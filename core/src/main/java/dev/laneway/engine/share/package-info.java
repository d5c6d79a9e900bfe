/**
 * Members of share groups. Uses the members of consumer groups and all that is below them; only {@code dev.laneway} may
 * call it.
 */
@NullMarked
package dev.laneway.engine.share;

import org.jspecify.annotations.NullMarked;
