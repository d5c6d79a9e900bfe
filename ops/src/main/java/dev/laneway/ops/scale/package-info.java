/**
 * Decides how many members a group should have: a pure function of a state, of metrics and of a policy, and the log of
 * its decisions, which explains and replays them.
 *
 * <p>The decision itself reads nothing, waits for nothing and knows no time but that of the metrics; only
 * {@code DecisionLog} and {@code DecisionLogReader} touch files. Uses the JDK, Jackson, and of package {@code check}
 * the verdict's types; what was observed comes as {@code ScalingMetrics}, which a simulator can make, too.
 */
@NullMarked
package dev.laneway.ops.scale;

import org.jspecify.annotations.NullMarked;
