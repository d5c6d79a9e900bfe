/**
 * The benchmarks. The verb's process plans, starts a broker and one fresh JVM for each arm, and reports;
 * {@link dev.laneway.bench.workload.Arm} is what runs in those JVMs. Uses all packages below; nothing calls it but the
 * launcher.
 */
@NullMarked
package dev.laneway.bench;

import org.jspecify.annotations.NullMarked;
