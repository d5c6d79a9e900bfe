/** What an arm of a benchmark is told, counts and returns. Uses no other package of the benchmarks; all may call it. */
@NullMarked
package dev.laneway.bench.measure;

import org.jspecify.annotations.NullMarked;
