/**
 * The verb {@code size}: starts the instances, raises the load, measures, and prints what came of it. Which rate is
 * tried next is decided in {@code dev.laneway.ops.size}. {@code SizeRun} goes through the steps, {@code TrialRunner}
 * does one trial; {@code AppProcess} is a command line of the user's, {@code LoadSource} what makes the load.
 *
 * <p>May use {@code program}, {@code workload}, and module ops. The verbs of {@code dev.laneway.cli} read profiles by
 * {@code ProfileFile}; this package knows none of them.
 */
@NullMarked
package dev.laneway.cli.size;

import org.jspecify.annotations.NullMarked;
