/**
 * What stages of streams run on: time, the serialised turns of a stage, queues and counters. Uses no other package of
 * streams; only {@code dev.laneway.stream} may call it.
 */
@NullMarked
package dev.laneway.stream.runtime;

import org.jspecify.annotations.NullMarked;
