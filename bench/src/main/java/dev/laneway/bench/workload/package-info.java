/**
 * What one JVM of a benchmark does with what is compared. Start with {@link dev.laneway.bench.workload.Arm}. Uses the
 * adapters and the measures; scenarios name it, and the verb starts it.
 */
@NullMarked
package dev.laneway.bench.workload;

import org.jspecify.annotations.NullMarked;
