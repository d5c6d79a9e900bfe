/**
 * Kafka as back-pressured streams of {@link java.util.concurrent.Flow}: sources, a few operators that keep order and
 * offsets, sinks, and commits. Start with {@link dev.laneway.stream.Source}.
 */
@NullMarked
package dev.laneway.stream;

import org.jspecify.annotations.NullMarked;
