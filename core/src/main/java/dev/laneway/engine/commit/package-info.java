/**
 * How progress reaches Kafka: a committer for each mode, the sender, transactions, and blocking calls of the consumer.
 * Uses the handlers and what is below them; starts and members may call it.
 */
@NullMarked
package dev.laneway.engine.commit;

import org.jspecify.annotations.NullMarked;
