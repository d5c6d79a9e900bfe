/**
 * An order tracker, as the guide to sizing Kafka Streams has one: {@code ./laneway orders}.
 * {@link dev.laneway.orders.RunCommand} runs its {@link dev.laneway.orders.OrderTopology},
 * {@link dev.laneway.orders.GenerateCommand} its load. It may use Kafka Streams, the frame of the command line, and the
 * states of orders. Only the launcher calls it, and nothing depends on it: it is not published.
 */
@NullMarked
package dev.laneway.orders;

import org.jspecify.annotations.NullMarked;
