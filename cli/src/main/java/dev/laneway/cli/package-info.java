/**
 * The verbs of the published command line and what each prints: a verb ends with {@code Command}, what it reports with
 * {@code Result}. It may use the library, the test kit, and the packages below it: {@code program}, the frame of every
 * verb, {@code workload}, what verbs load, consume and count, {@code live}, verbs that show what runs, and
 * {@code chart}. The launcher calls it; of other modules only those that need a broker in a process of its own do.
 */
@NullMarked
package dev.laneway.cli;

import org.jspecify.annotations.NullMarked;
