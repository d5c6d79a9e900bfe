/**
 * Where a partition starts: committed, asked of brokers, or stored outside Kafka. Uses commits and what is below them;
 * members may call it.
 */
@NullMarked
package dev.laneway.engine.start;

import org.jspecify.annotations.NullMarked;
