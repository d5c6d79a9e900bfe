/**
 * Laneway: processes Kafka records in parallel, in order, and never loses its place. Start with
 * {@link dev.laneway.Laneway#consumer}.
 */
@NullMarked
package dev.laneway;

import org.jspecify.annotations.NullMarked;
