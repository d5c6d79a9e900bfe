/**
 * The scenarios, one file each, and the plan of their cases. Uses workloads and what is below them; reports and the
 * verb may call it.
 */
@NullMarked
package dev.laneway.bench.scenario;

import org.jspecify.annotations.NullMarked;
