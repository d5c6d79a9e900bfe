/**
 * Assignors that give each member as much as the others by what is measured, not by count:
 * {@link dev.laneway.assign.LoadAssignor} for consumers, Laneway's and any other, and
 * {@link dev.laneway.assign.LoadTaskAssignor} for Kafka Streams.
 *
 * <p>{@code LoadBalance} plans and is pure, and so is {@code LoadPlan}, for simulations; {@code LoadReader} asks
 * brokers. Uses kafka-clients and slf4j, the task assignor also kafka-streams, and nothing of Laneway.
 */
@NullMarked
package dev.laneway.assign;

import org.jspecify.annotations.NullMarked;
