/**
 * What the engine runs on: host, owner thread and its loop, guard, wake-up, timers, lifecycle, meters and logs. Uses no
 * other room; every room may call it.
 */
@NullMarked
package dev.laneway.engine.runtime;

import org.jspecify.annotations.NullMarked;
