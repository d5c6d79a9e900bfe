/** Adapters of what is compared, one file each. Uses only the measures; workloads may call it. */
@NullMarked
package dev.laneway.bench.peer;

import org.jspecify.annotations.NullMarked;
