/**
 * The verbs that show a consumer or a group as it runs: {@code ui} on a page, {@code top} in the terminal. Both show
 * the frames of {@code dev.laneway.dashboard}; {@code top} reads them as the JSON that the page reads, from this
 * process or from a page elsewhere. May use {@code program}, {@code workload}, {@code watch}, the lag engine, and
 * JLine, which nothing else does.
 */
@NullMarked
package dev.laneway.cli.live;

import org.jspecify.annotations.NullMarked;
